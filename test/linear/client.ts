import type { FolderView } from '../support/api.ts'
import type { Chance } from '../support/chance.ts'
import type { FileView } from '../support/holdfast.ts'
import { VERSION } from '../uploads/tus.ts'
import * as kept from './kept.ts'
import type { Visibility } from './node.ts'
import type { Answer, FolderName, Operation, Send } from './operation.ts'
import * as reads from './reads.ts'
import * as writes from './writes.ts'

const FILES = ['a', 'b', 'c']
const FOLDERS = ['', 'd', 'e', 'd/e', 'd/f', 'e/d', 'e/d/e']
const FOLDER_NAMES = ['d', 'e', 'f']
const VISIBILITIES: readonly Visibility[] = ['public', 'private']

/** Number of ids and links that clients know. Newer ones evict the oldest. */
const MAX_KNOWN = 8

class Known<Item> {
  #items: Item[] = []

  add(item: Item): void {
    this.#items = [...this.#items.filter((known) => !Bun.deepEquals(known, item)), item].slice(-MAX_KNOWN)
  }

  /** Picks the latest item as often as any other, so that clients meet at one. */
  pick(chance: Chance): Item | undefined {
    return chance.below(2) === 0 ? this.#items.at(-1) : chance.pick(this.#items)
  }

  /** Picks an item and removes it. */
  take(chance: Chance): Item | undefined {
    const taken = this.pick(chance)
    this.#items = this.#items.filter((item) => item !== taken)
    return taken
  }
}

/** Operation whose response also teaches clients ids other than those of files and folders. */
export interface Teaching extends Operation {
  teach?: (answer: Answer) => void
}

/** Shared knowledge of all clients of a round. */
export class Knowledge {
  readonly files = new Known<string>()
  readonly folders = new Known<string>()
  /** Ids of files and folders that were in the trash. */
  readonly trashed = new Known<string>()
  readonly versions = new Known<string>()
  readonly links = new Known<reads.Link>()
  readonly uploads = new Known<{ path: string; upload: writes.Resumable }>()
  readonly #begun: string[] = []
  #contents = 0

  /** Returns a unique content of one of a few lengths. */
  newContent(chance: Chance): string {
    this.#contents += 1
    return `content ${this.#contents} `.padEnd(20 + chance.below(3) * 100, 'x')
  }

  learnUpload(path: string, upload: writes.Resumable): void {
    this.uploads.add({ path, upload })
    this.#begun.push(path)
  }

  /** Cancels unfinished uploads, because their number for each account is limited. */
  async endUploads({ send }: { send: Send }): Promise<void> {
    for (const path of this.#begun) await send(path, { method: 'DELETE', headers: VERSION })
  }

  learn({ status, data }: Answer): void {
    if (status !== 200 || typeof data !== 'object' || data === null) return
    const {
      file,
      files = [],
      folder,
      folders = [],
    } = data as {
      file?: FileView
      files?: FileView[]
      folder?: FolderView
      folders?: FolderView[]
    }
    for (const { id } of [...(file ? [file] : []), ...(Array.isArray(files) ? files.slice(-3) : [])])
      this.files.add(id)
    for (const { id } of [...(folder ? [folder] : []), ...(Array.isArray(folders) ? folders : [])])
      this.folders.add(id)
  }
}

/** Builds an operation of a kind; returns `undefined` when clients do not know enough yet. */
type Maker = (chance: Chance, known: Knowledge) => Teaching | undefined

const some = (chance: Chance, items: readonly string[]): string => chance.pick(items) ?? ''
const visibility = (chance: Chance): Visibility => chance.pick(VISIBILITIES) ?? 'public'

function folderName(chance: Chance, known: Knowledge): FolderName {
  const id = known.folders.pick(chance)
  return id === undefined || chance.below(2) === 0 ? { key: some(chance, FOLDERS) } : { id }
}

const destination = (chance: Chance, known: Knowledge): writes.Destination => {
  const to = folderName(chance, known)
  return 'id' in to ? { folderId: to.id } : { folder: to.key }
}

const key = (chance: Chance) => [some(chance, FOLDERS), some(chance, FILES)].filter(Boolean).join('/')
const limit = (chance: Chance) => (chance.below(2) === 0 ? undefined : 1 + chance.below(4))
const optional = (limit: number | undefined) => (limit === undefined ? {} : { limit })

/** Returns a maker that needs the known id of a file or folder. */
const ofFile =
  (make: (id: string, chance: Chance, known: Knowledge) => Teaching): Maker =>
  (chance, known) => {
    const id = known.files.pick(chance)
    return id === undefined ? undefined : make(id, chance, known)
  }
const ofFolder =
  (make: (id: string, chance: Chance, known: Knowledge) => Teaching): Maker =>
  (chance, known) => {
    const id = known.folders.pick(chance)
    return id === undefined ? undefined : make(id, chance, known)
  }

const two = (chance: Chance, known: Knowledge, id: string) => [
  ...new Set([id, known.files.pick(chance) ?? id]),
]

const trash = (kind: 'file' | 'folder', id: string, known: Knowledge): Teaching => ({
  ...kept.moveToTrash(kind, id),
  teach: ({ status }) => {
    if (status === 200) known.trashed.add(id)
  },
})

const copy = (kind: 'file' | 'folder', id: string, to: writes.Destination, known: Knowledge): Teaching => ({
  ...kept.copy(kind, id, to),
  teach: (answer) => {
    for (const made of kept.copiesIn(answer)) (kind === 'file' ? known.files : known.folders).add(made)
  },
})

/** Builds a replacement of one folder by another, which may be in the trash. */
const swap = (chance: Chance, known: Knowledge, replaces: string): Teaching => {
  const id = chance.below(2) === 0 ? known.trashed.pick(chance) : known.folders.pick(chance)
  return {
    ...kept.swap(id ?? replaces, replaces),
    teach: ({ status }) => {
      if (status === 200) known.trashed.add(replaces)
    },
  }
}

const WRITES: readonly [weight: number, maker: Maker][] = [
  [3, ofFile((id, chance, known) => writes.replace(id, known.newContent(chance)))],
  [
    4,
    (chance, known) =>
      writes.upload(some(chance, FOLDERS), { [some(chance, FILES)]: known.newContent(chance) }),
  ],
  [
    2,
    (chance, known) =>
      writes.upload(
        some(chance, FOLDERS),
        { a: known.newContent(chance), [some(chance, ['b', 'c'])]: known.newContent(chance) },
        visibility(chance),
      ),
  ],
  [
    1,
    (chance, known) =>
      writes.importArchive(
        some(chance, FOLDERS),
        { a: known.newContent(chance), 'd/b': known.newContent(chance) },
        visibility(chance),
      ),
  ],
  [
    2,
    (chance, known) => {
      const content = known.newContent(chance)
      const upload = { folder: some(chance, FOLDERS), name: some(chance, FILES), content }
      return {
        ...writes.beginResumable(upload),
        teach: ({ status, data }) => {
          if (status === 201) known.learnUpload(String(data), upload)
        },
      }
    },
  ],
  [
    4,
    (chance, known) => {
      const begun = known.uploads.take(chance)
      return begun && writes.finishResumable(begun.path, begun.upload)
    },
  ],
  [2, (chance) => writes.createFolder(some(chance, FOLDERS.slice(1)))],
  [6, ofFile((id, chance) => writes.rename('file', id, some(chance, FILES)))],
  [4, ofFolder((id, chance) => writes.rename('folder', id, some(chance, FOLDER_NAMES)))],
  [2, ofFile((id, chance) => writes.rename('file', id, some(chance, FILES), visibility(chance)))],
  [2, ofFolder((id, chance) => writes.rename('folder', id, some(chance, FOLDER_NAMES), visibility(chance)))],
  [3, ofFile((id, chance, known) => writes.move('file', id, destination(chance, known)))],
  [3, ofFolder((id, chance, known) => writes.move('folder', id, destination(chance, known)))],
  [2, ofFile((id) => writes.remove('file', id))],
  [1, ofFile((id, chance, known) => writes.removeFiles(two(chance, known, id)))],
  [2, ofFolder((id) => writes.remove('folder', id))],
  [2, ofFile((id, _, known) => trash('file', id, known))],
  [2, ofFolder((id, _, known) => trash('folder', id, known))],
  [
    4,
    (chance, known) => {
      const id = known.trashed.pick(chance)
      return id === undefined ? undefined : kept.restore(id)
    },
  ],
  [3, ofFolder((id, chance, known) => swap(chance, known, id))],
  [2, ofFile((id, chance, known) => copy('file', id, destination(chance, known), known))],
  [1, ofFolder((id, chance, known) => copy('folder', id, destination(chance, known), known))],
  [
    3,
    (chance, known) => {
      const id = known.versions.pick(chance)
      return id === undefined ? undefined : kept.restoreVersion(id)
    },
  ],
  [5, ofFile((id, chance) => writes.setVisibility(id, visibility(chance)))],
  [3, ofFolder((id, chance) => writes.setVisibilityBelow(id, visibility(chance)))],
  [2, (chance) => writes.setVisibilityOfAll(visibility(chance))],
  [1, (chance) => writes.setDefault(visibility(chance))],
]

const READS: readonly [weight: number, maker: Maker][] = [
  [3, ofFile((id) => reads.lookUp({ id }))],
  [2, (chance) => reads.lookUp({ key: key(chance) })],
  [2, (chance) => reads.list(optional(limit(chance)))],
  [1, (chance) => reads.list({ ...optional(limit(chance)), name: some(chance, FILES) })],
  [4, (chance, known) => reads.browse(folderName(chance, known), limit(chance))],
  [3, (chance, known) => reads.checksums(folderName(chance, known))],
  [1, (chance, known) => reads.totals(folderName(chance, known))],
  [4, (chance) => reads.open(key(chance), { asMember: false })],
  [2, (chance) => reads.open(key(chance), { asMember: true })],
  [2, ofFile((id) => reads.download(id))],
  [
    2,
    ofFile((id, _, known) => ({
      ...kept.listVersions(id),
      teach: (answer) => {
        for (const version of kept.versionsIn(answer)) known.versions.add(version)
      },
    })),
  ],
  [
    2,
    ofFile((id, _, known) => ({
      ...reads.sign(id),
      teach: ({ status, data }) => {
        if (status !== 200) return
        const { url } = data as { url: string }
        known.links.add({ id, url, key: reads.keyOfUrl(url) })
      },
    })),
  ],
  [
    4,
    (chance, known) => {
      const link = known.links.pick(chance)
      return link && reads.openLink(link)
    },
  ],
  [2, (chance, known) => reads.archiveFolder(folderName(chance, known))],
  [2, ofFile((id, chance, known) => reads.archiveFiles(two(chance, known, id)))],
  [3, () => reads.stats()],
  [1, () => reads.settings()],
]

const weigh = (kinds: readonly [weight: number, maker: Maker][]) =>
  kinds.flatMap(([weight, maker]) => Array.from({ length: weight }, () => maker))
const ALL = { writes: weigh(WRITES), reads: weigh(READS) }

/** Builds a random operation. @param writeShare Percentage of operations that write. */
export function anyOperation(chance: Chance, known: Knowledge, writeShare: number): Teaching {
  for (;;) {
    const kinds = chance.below(100) < writeShare ? ALL.writes : ALL.reads
    const made = chance.pick(kinds)?.(chance, known)
    if (made) return made
  }
}
