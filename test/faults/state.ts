/** Properties of a file on which model and server must agree. Unknown ones are absent. */
export interface FileState {
  sha256: string
  visibility: 'public' | 'private'
  id?: string
  createdAt?: number
  /** Latest version. */
  version?: { id: string; sha256: string }
}

/** File or folder in the trash, with its keys from before the delete. */
export interface Trashed {
  kind: 'file' | 'folder'
  key: string
  /** Id of its former folder. */
  parentId: string
  files: ReadonlyMap<string, FileState>
  folders: ReadonlyMap<string, string | undefined>
}

/** State that write routes change: the tree, and facts such as `key <name>` or `user <email>`. */
export interface State {
  /** Files by key. */
  files: ReadonlyMap<string, FileState>
  /** Ids of folders by key, without the root. */
  folders: ReadonlyMap<string, string | undefined>
  facts: ReadonlySet<string>
  /** Items of the trash by id. */
  trash: ReadonlyMap<string, Trashed>
}

export const EMPTY: State = { files: new Map(), folders: new Map(), facts: new Set(), trash: new Map() }

export const folderOf = (key: string) => key.slice(0, Math.max(key.lastIndexOf('/'), 0))
export const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)
const isIn = (folder: string) => (key: string) => key === folder || key.startsWith(`${folder}/`)

/** Adds the folder at `key` and those above it. */
export function withFolder(state: State, key: string): State {
  const folders = new Map(state.folders)
  for (let folder = key; folder !== ''; folder = folderOf(folder)) {
    if (!folders.has(folder)) folders.set(folder, undefined)
  }
  return { ...state, folders }
}

export function withFile(state: State, key: string, file: FileState): State {
  const { folders, ...rest } = withFolder(state, folderOf(key))
  return { ...rest, folders, files: new Map(state.files).set(key, file) }
}

export function withoutFile(state: State, key: string): State {
  const files = new Map(state.files)
  files.delete(key)
  return { ...state, files }
}

export function withMovedFile(state: State, from: string, to: string): State {
  const file = state.files.get(from)
  return file ? withFile(withoutFile(state, from), to, file) : state
}

/** Moves the folder at `from`, with its content, to the key `to`. */
export function withMovedFolder(state: State, from: string, to: string): State {
  const moves = isIn(from)
  const moved = <Value>([key, value]: [string, Value]): [string, Value] =>
    moves(key) ? [`${to}${key.slice(from.length)}`, value] : [key, value]
  return {
    ...state,
    files: new Map([...state.files].map(moved)),
    folders: new Map([...state.folders].map(moved)),
  }
}

export function withoutFolder(state: State, folder: string): State {
  const goes = isIn(folder)
  return {
    ...state,
    files: new Map([...state.files].filter(([key]) => !goes(key))),
    folders: new Map([...state.folders].filter(([key]) => !goes(key))),
  }
}

/** Moves the file or folder at `key` to the trash. */
export function withTrashed(state: State, key: string, id: string): State {
  const goes = isIn(key)
  const kind = state.files.has(key) ? 'file' : 'folder'
  const item: Trashed = {
    kind,
    key,
    parentId: state.folders.get(folderOf(key)) ?? '',
    files: new Map([...state.files].filter(([file]) => goes(file))),
    folders: new Map([...state.folders].filter(([folder]) => goes(folder))),
  }
  const left = kind === 'file' ? withoutFile(state, key) : withoutFolder(state, key)
  return { ...left, trash: new Map(state.trash).set(id, item) }
}

/** Restores an item of the trash to its folder, or to a new one at that folder's key, under a free name. */
export function withRestored(state: State, id: string): State {
  const item = state.trash.get(id)
  if (!item) return state
  const [parent = folderOf(item.key)] = [...state.folders].find(([, id]) => id === item.parentId) ?? []
  const at = freeKey(state, `${parent}/${nameOf(item.key)}`)
  const moved = <Value>([key, value]: [string, Value]): [string, Value] => [
    `${at}${key.slice(item.key.length)}`,
    value,
  ]
  const trash = new Map(state.trash)
  trash.delete(id)
  const { folders, files, ...rest } = withFolder(state, parent)
  return {
    ...rest,
    trash,
    files: new Map([...files, ...[...item.files].map(moved)]),
    folders: new Map([...folders, ...[...item.folders].map(moved)]),
  }
}

function freeKey({ files, folders }: State, key: string): string {
  const isTaken = (one: string) => files.has(one) || folders.has(one)
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? key : `${key} (${number})`
    if (!isTaken(numbered)) return numbered
  }
}

/** Sets the visibility of every file in the folder and below it. */
export function withVisibility(state: State, folder: string, visibility: FileState['visibility']): State {
  const changes = isIn(folder)
  const files = [...state.files].map(([key, file]): [string, FileState] => [
    key,
    changes(key) ? { ...file, visibility } : file,
  ])
  return { ...state, files: new Map(files) }
}

export const withFact = (state: State, fact: string): State => ({
  ...state,
  facts: new Set(state.facts).add(fact),
})

/** Returns the part of a state that belongs to the client with the folder `home`. Settings belong to all clients. */
export function partOf(state: State, home: string): State {
  const own = isIn(home)
  return {
    files: new Map([...state.files].filter(([key]) => own(key))),
    folders: new Map([...state.folders].filter(([key]) => own(key))),
    facts: new Set([...state.facts].filter((fact) => fact.startsWith('setting ') || fact.includes(home))),
    trash: new Map([...state.trash].filter(([, { key }]) => own(key))),
  }
}

/** Describes each difference between `expected` and `actual`. */
export function differences(expected: State, actual: State): string[] {
  const found = treeDifferences(expected, actual)
  for (const fact of expected.facts.symmetricDifference(actual.facts)) {
    found.push(`${fact} is ${actual.facts.has(fact) ? 'there' : 'missing'}`)
  }
  for (const id of new Set([...expected.trash.keys(), ...actual.trash.keys()])) {
    const [wanted, got] = [expected.trash.get(id), actual.trash.get(id)]
    const { key } = wanted ?? got ?? { key: id }
    if (!wanted || !got) found.push(`${key} is ${got ? '' : 'not '}in the trash`)
    else found.push(...treeDifferences(wanted, got).map((difference) => `in the trash: ${difference}`))
  }
  return found
}

type Tree = Pick<State, 'files' | 'folders'>

function treeDifferences(expected: Tree, actual: Tree): string[] {
  const found: string[] = []
  for (const key of new Set([...expected.files.keys(), ...actual.files.keys()])) {
    const [wanted, got] = [expected.files.get(key), actual.files.get(key)]
    if (!wanted || !got) found.push(`file ${key} is ${got ? 'there' : 'missing'}`)
    else if (!isSame(wanted, got))
      found.push(`file ${key} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`)
  }
  for (const key of new Set([...expected.folders.keys(), ...actual.folders.keys()])) {
    const [wanted, got] = [expected.folders.get(key), actual.folders.get(key)]
    if (!expected.folders.has(key) || got === undefined)
      found.push(`folder ${key} is ${got === undefined ? 'missing' : 'there'}`)
    else if (wanted !== undefined && wanted !== got) found.push(`folder ${key} has another id`)
  }
  return found
}

const isSame = (wanted: FileState, got: FileState) =>
  wanted.sha256 === got.sha256 &&
  wanted.visibility === got.visibility &&
  (wanted.id ?? got.id) === got.id &&
  (wanted.createdAt ?? got.createdAt) === got.createdAt
