import { isAtOrBelow } from '../../src/platform/names.ts'
import type { Right } from '../../src/store/store.ts'
import type { Api } from '../support/api.ts'
import type { Holdfast } from '../support/holdfast.ts'
import { openRows } from '../support/rows.ts'

/** Account of the model, with what it was let into. */
export interface Person {
  id: string
  name: string
  email: string
  /** True for a role that only reads. */
  isViewer?: boolean
  /** Rights by ids of folders. */
  grants: Map<string, readonly Right[]>
  /** Words of what it did itself, which its history and messages may repeat. */
  deeds: Set<string>
  /** Id of the folder to which its API key is bound. */
  boundTo?: string
}

export interface Item {
  id: string
  name: string
  key: string
  kind: 'file' | 'folder'
  visibility?: string
}

/** Files and folders of the whole tree, and those in the trash. */
export interface Tree {
  items: readonly Item[]
  trash: readonly Pick<Item, 'id' | 'name' | 'key'>[]
}

interface Page {
  items: ({ kind: 'file'; file: Item } | { kind: 'folder'; folder: Item })[]
  next: string | null
}

export async function readTree(holdfast: Holdfast, admin: Api): Promise<Tree> {
  const items: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await admin.data('GET', `/search?limit=200${cursor && `&cursor=${cursor}`}`)
    for (const found of page.items)
      items.push({ ...(found.kind === 'file' ? found.file : found.folder), kind: found.kind })
    cursor = page.next
  }
  const keys = new Map(items.map(({ id, key }) => [id, key]))
  using rows = openRows(holdfast)
  const read = (what: string) =>
    new Map(
      rows
        .query<Trashed>(`SELECT id, name, parent_id AS parentId ${what}`)
        .all()
        .map((row) => [row.id, row]),
    )
  const [trashed, held] = [read('FROM trash'), read('FROM trashed_folders')]
  /** Returns the key at which an item of the trash would be now; undefined where its folder is gone. */
  const keyOf = ({ name, parentId }: Trashed): string | undefined => {
    const above = trashed.get(parentId) ?? held.get(parentId)
    const folder = above ? keyOf(above) : keys.get(parentId)
    return folder && `${folder}/${name}`
  }
  const trash = [...trashed.values()].flatMap((item) => {
    const key = keyOf(item)
    return key === undefined ? [] : [{ ...item, key }]
  })
  return { items, trash }
}

/** Row of something in the trash, or of a folder below it. */
interface Trashed {
  id: string
  name: string
  parentId: string
}

/** Every name that was ever given, by the ids that had it. */
export class Names {
  readonly #ids = new Map<string, Set<string>>()

  note({ items, trash }: Tree): void {
    for (const { id, name } of [...items, ...trash]) {
      const word = wordOf(name)
      if (word) this.#ids.set(word, (this.#ids.get(word) ?? new Set()).add(id))
    }
  }

  /** Returns the names and ids of what an account sees, with the names on the way to it, and those of everything else. */
  around({ seen, trash }: View): { inside: Set<string>; outside: Set<string> } {
    const inside = new Set<string>()
    for (const { id, key } of [...seen.values(), ...trash])
      for (const word of [id, ...key.split('/').map(wordOf)]) if (word) inside.add(word)
    const outside = new Set<string>()
    for (const [name, ids] of this.#ids) {
      const areSeen = [...ids].some((id) => inside.has(id))
      for (const word of [...ids, ...(areSeen ? [] : [name])]) if (!inside.has(word)) outside.add(word)
    }
    return { inside, outside }
  }
}

/** Returns the object key of the folder of an item. */
export const folderOf = (key: string): string => key.split('/').slice(0, -1).join('/')

/** Returns the part of a name that no other text contains. */
export const wordOf = (name: string): string | undefined => /zq\d+qz/.exec(name)?.[0]

/** Part of the tree that one account sees, and its rights there. */
export interface View {
  entries: readonly Item[]
  /** Object keys of all folders that it sees. */
  folders: readonly string[]
  /** Items by their ids. */
  seen: ReadonlyMap<string, Item>
  trash: readonly Pick<Item, 'id' | 'name' | 'key'>[]
  /** Items in a folder. Those of the root are the entry folders. */
  inside: (key: string) => Item[]
  may: (right: Right, folder: string) => boolean
  isViewer: boolean
}

/** @param everyone Rights of every limited account, by ids of folders. */
export function viewOf(person: Person, everyone: Person['grants'], { items, trash }: Tree): View {
  const granted = items.flatMap((item) => {
    const rights = [...(person.grants.get(item.id) ?? []), ...(everyone.get(item.id) ?? [])]
    return rights.length > 0 ? [{ ...item, rights }] : []
  })
  const isGranted = (key: string) => granted.some((entry) => isAtOrBelow(key, entry.key))
  const { boundTo, isViewer = false } = person
  const bound =
    boundTo === undefined ? granted : items.filter(({ id, key }) => id === boundTo && isGranted(key))
  const entries = bound.filter(({ key }) => !bound.some((other) => isBelow(key, other.key)))
  const isSeen = (key: string) => entries.some((entry) => isAtOrBelow(key, entry.key))
  const seen = new Map(items.filter(({ key }) => isSeen(key)).map((item) => [item.id, item]))
  return {
    entries,
    isViewer,
    seen,
    folders: [...seen.values()].flatMap(({ kind, key }) => (kind === 'folder' ? [key] : [])),
    trash: trash.filter(({ key }) => isSeen(folderOf(key))),
    inside: (at) => (at === '' ? entries : [...seen.values()].filter(({ key }) => folderOf(key) === at)),
    may: (right, folder) =>
      (right === 'read' || !isViewer) &&
      granted.some(({ key, rights }) => rights.includes(right) && isAtOrBelow(folder, key)),
  }
}

const isBelow = (key: string, above: string) => key !== above && isAtOrBelow(key, above)
