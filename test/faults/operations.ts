import type { Chance } from '../support/chance.ts'
import { metadata, VERSION } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'
import {
  type FileState,
  folderOf,
  nameOf,
  type State,
  withFact,
  withFile,
  withFolder,
  withMovedFile,
  withMovedFolder,
  withoutFile,
  withoutFolder,
  withRestored,
  withTrashed,
  withVisibility,
} from './state.ts'

/** Request of a write route, and the states that it may lead to. */
export interface Operation {
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  body: FormData | Buffer<ArrayBuffer> | object
  headers?: Record<string, string>
  by: 'key' | 'session' | 'nobody'
  /**
   * States that a fault may leave. The first is the one before, the last the one after success. An operation with only
   * two is atomic.
   */
  states: readonly State[]
  /** True when every failed `fsync` fails the request, because none follows its commit. */
  failsWhole?: boolean
}

/** Base of a client's next request. */
export interface Scene {
  /** Folder of the client, which touches nothing outside. */
  home: string
  state: State
  chance: Chance
  /** Returns a name that was never used before. */
  fresh: (what: string) => string
}

/** Builds a request; returns `undefined` when there is nothing to work on. */
export interface Route {
  (scene: Scene): Operation | undefined
  /** Request that must come first. */
  after?: Route
}

const sha256 = (content: string) => new Bun.CryptoHasher('sha256').update(content).digest('hex')

/** Returns a distinct text for each name, from a few bytes to several blocks. */
export const contentOf = (key: string, chance: Chance) => `${key}\n`.repeat(1 + chance.below(400))

/** Returns an upload of files with these contents. */
export function uploadOf(
  scene: Scene,
  folder: string,
  files: readonly { name: string; content: string }[],
  visibility: FileState['visibility'],
): Operation {
  const form = new FormData()
  form.append('folder', folder)
  form.append('visibility', visibility)
  let after = scene.state
  for (const { name, content } of files) {
    form.append('files', new Blob([content]), name)
    after = withFile(after, `${folder}/${name}`, { sha256: sha256(content), visibility })
  }
  const states = [scene.state, after]
  return { method: 'POST', path: '/api/files', body: form, by: 'key', states, failsWhole: true }
}

function upload(scene: Scene, folder: string, names: string[]): Operation {
  const files = names.map((name) => ({ name, content: contentOf(name, scene.chance) }))
  return uploadOf(scene, folder, files, visibility(scene))
}

/** Returns a resumable upload whose creation carries all its bytes. */
function resumable(scene: Scene): Operation {
  const [folder, name] = [`${scene.home}/${scene.fresh('pieces')}`, scene.fresh('piece')]
  const content = contentOf(name, scene.chance)
  const sent = visibility(scene)
  const headers = {
    ...VERSION,
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Length': String(content.length),
    'Upload-Metadata': metadata({ name, folder, visibility: sent }),
  }
  const file = { sha256: sha256(content), visibility: sent }
  const states = [scene.state, withFile(scene.state, `${folder}/${name}`, file)]
  const body = Buffer.from(content)
  return { method: 'POST', path: '/api/uploads', body, headers, by: 'key', states, failsWhole: true }
}

const visibilities = ['public', 'private'] as const
const visibility = ({ chance }: Scene) => chance.pick(visibilities) ?? 'public'
const other = (file: FileState | undefined) => (file?.visibility === 'public' ? 'private' : 'public')
const files = ({ state }: Scene) => [...state.files.keys()]
const folders = ({ state }: Scene) => [...state.folders.keys()]
const inner = (scene: Scene) => folders(scene).filter((key) => key !== scene.home)
const idOf = ({ state }: Scene, key: string) => state.files.get(key)?.id ?? state.folders.get(key) ?? ''

/** Returns a move of files. `made` is the folder that the request creates first. */
function moveFiles(
  scene: Scene,
  keys: string[],
  destination: { folder: string } | { folderId: string },
  to: string,
) {
  const { state } = scene
  const start = state.folders.has(to) ? [state] : [state, withFolder(state, to)]
  const states = subsets(keys).map((moved) =>
    moved.reduce((done, key) => withMovedFile(done, key, `${to}/${nameOf(key)}`), withFolder(state, to)),
  )
  const ids = keys.map((key) => idOf(scene, key))
  const body = ids.length === 1 ? { id: ids[0], ...destination } : { ids, ...destination }
  return { method: 'POST', path: '/api/files/move', body, by: 'key', states: [...start, ...states] } as const
}

/** Returns all subsets of keys: the files of a batch succeed or fail independently. */
const subsets = (keys: readonly string[]): string[][] =>
  keys.reduce<string[][]>((all, key) => all.concat(all.map((some) => some.concat(key))), [[]])

/** Returns true when no entry of a folder has the name of `key`, which a copy would get. */
const hasRoomFor = ({ files, folders }: State, to: string, key: string) =>
  !files.has(`${to}/${nameOf(key)}`) && !folders.has(`${to}/${nameOf(key)}`)

/** Picks two files of different names. */
function twoFiles(scene: Scene): [string, string] | undefined {
  const [first = ''] = files(scene)
  const others = files(scene).filter((key) => key === first || nameOf(key) !== nameOf(first))
  const second = others.find((key) => folderOf(key) === folderOf(first))
  const another = others.find((key) => key !== first && key !== second) ?? second
  return another === undefined || another === first ? undefined : [first, another]
}

/** Returns a replacement of a file's bytes, which leaves a version. Its last `fsync` follows the commit. */
export function replaceFile(scene: Scene): Operation | undefined {
  const key = scene.chance.pick(files(scene))
  const file = scene.state.files.get(key ?? '')
  if (key === undefined || !file) return undefined
  const content = contentOf(scene.fresh('replaced'), scene.chance)
  const states = [scene.state, withFile(scene.state, key, { ...file, sha256: sha256(content) })]
  const path = `/api/files/content?id=${file.id}`
  return { method: 'PUT', path, body: Buffer.from(content), by: 'key', states }
}

/** Returns a copy of the file or folder at `key` to a new folder. */
function copied(scene: Scene, key: string, ids: object): Operation {
  const folder = `${scene.home}/${scene.fresh('copies')}`
  const at = (original: string) => `${folder}/${nameOf(key)}${original.slice(key.length)}`
  const isIn = (one: string) => one === key || one.startsWith(`${key}/`)
  let after = withFolder(scene.state, folder)
  for (const one of scene.state.folders.keys()) if (isIn(one)) after = withFolder(after, at(one))
  for (const [one, { sha256, visibility }] of scene.state.files)
    if (isIn(one)) after = withFile(after, at(one), { sha256, visibility })
  const states = [scene.state, after]
  return { method: 'POST', path: '/api/files/copy', body: { ...ids, folder }, by: 'key', states }
}

function trashFile(scene: Scene): Operation | undefined {
  const key = scene.chance.pick(files(scene))
  const id = idOf(scene, key ?? '')
  return key === undefined ? undefined : trashed(scene, key, { fileIds: [id] })
}

function trashFolder(scene: Scene): Operation | undefined {
  const key = scene.chance.pick(inner(scene))
  const id = idOf(scene, key ?? '')
  return key === undefined ? undefined : trashed(scene, key, { folderIds: [id] })
}

function trashed(scene: Scene, key: string, body: object): Operation {
  const states = [scene.state, withTrashed(scene.state, key, idOf(scene, key))]
  return { method: 'POST', path: '/api/trash', body, by: 'key', states }
}

/** Returns a route that restores the latest item of a kind. */
const restoreOf =
  (kind: 'file' | 'folder'): Route =>
  ({ state }) => {
    const [id] = [...state.trash].findLast(([, item]) => item.kind === kind) ?? []
    if (id === undefined) return undefined
    const states = [state, withRestored(state, id)]
    return { method: 'POST', path: '/api/trash/restore', body: { ids: [id] }, by: 'key', states }
  }

/** Returns a permanent removal of the client's items, each independent of the others. */
function emptyTrash({ state }: Scene): Operation | undefined {
  const ids = [...state.trash.keys()].slice(-2)
  const without = (gone: readonly string[]): State => ({
    ...state,
    trash: new Map([...state.trash].filter(([id]) => !gone.includes(id))),
  })
  const states = subsets(ids).map(without)
  return ids.length === 0
    ? undefined
    : { method: 'DELETE', path: '/api/trash', body: { ids }, by: 'key', states }
}

const ROUTE_TABLE: Record<string, Route> = {
  'upload one': (scene) => upload(scene, scene.home, [scene.fresh('one')]),
  'upload many': (scene) => upload(scene, scene.home, ['m', 'm', 'm'].map(scene.fresh)),
  'upload into new folders': (scene) =>
    upload(
      scene,
      `${scene.home}/${scene.fresh('outer')}/${scene.fresh('inner')}`,
      ['a', 'b'].map(scene.fresh),
    ),
  'upload in pieces': resumable,
  'rename file': (scene) => {
    const key = scene.chance.pick(files(scene))
    if (key === undefined) return undefined
    const name = scene.fresh('renamed')
    const states = [scene.state, withMovedFile(scene.state, key, `${folderOf(key)}/${name}`)]
    return { method: 'PUT', path: '/api/files', body: { id: idOf(scene, key), name }, by: 'key', states }
  },
  'file visibility': (scene) => {
    const key = scene.chance.pick(files(scene))
    const file = key === undefined ? undefined : scene.state.files.get(key)
    if (key === undefined || !file) return undefined
    const sent = other(file)
    const states = [scene.state, withFile(scene.state, key, { ...file, visibility: sent })]
    const body = { id: file.id, visibility: sent }
    return { method: 'PUT', path: '/api/files', body, by: 'key', states, failsWhole: true }
  },
  'replace file': replaceFile,
  'restore version': (scene) => {
    const [key, file] = [...scene.state.files].find(([, { version }]) => version !== undefined) ?? []
    if (key === undefined || !file?.version) return undefined
    const { id, sha256 } = file.version
    const states = [scene.state, withFile(scene.state, key, { ...file, sha256 })]
    const path = '/api/files/versions/restore'
    return { method: 'POST', path, body: { id }, by: 'key', states }
  },
  'move file': (scene) => {
    const key = scene.chance.pick(files(scene))
    if (key === undefined) return undefined
    const to = scene.chance.pick(folders(scene).filter((folder) => hasRoomFor(scene.state, folder, key)))
    if (to === undefined) return undefined
    return moveFiles(scene, [key], { folderId: idOf(scene, to) }, to)
  },
  'move file into a new folder': (scene) => {
    const key = scene.chance.pick(files(scene))
    if (key === undefined) return undefined
    const to = `${scene.home}/${scene.fresh('target')}`
    return moveFiles(scene, [key], { folder: to }, to)
  },
  'move files': (scene) => {
    const keys = twoFiles(scene)
    const to = `${scene.home}/${scene.fresh('target')}`
    return keys && moveFiles(scene, keys, { folder: to }, to)
  },
  'delete file': (scene) => {
    const key = scene.chance.pick(files(scene))
    if (key === undefined) return undefined
    const states = [scene.state, withoutFile(scene.state, key)]
    return { method: 'DELETE', path: '/api/files', body: { id: idOf(scene, key) }, by: 'key', states }
  },
  'delete files': (scene) => {
    const keys = twoFiles(scene)
    const states = subsets(keys ?? []).map((gone) => gone.reduce(withoutFile, scene.state))
    const body = { ids: (keys ?? []).map((key) => idOf(scene, key)) }
    return keys && { method: 'DELETE', path: '/api/files', body, by: 'key', states }
  },
  'create folder': (scene) => {
    const folder = `${scene.home}/${scene.fresh('new')}/${scene.fresh('newer')}`
    const states = [scene.state, withFolder(scene.state, folder)]
    return { method: 'POST', path: '/api/folders', body: { folder }, by: 'key', states, failsWhole: true }
  },
  'rename folder': (scene) => {
    const key = scene.chance.pick(inner(scene))
    if (key === undefined) return undefined
    const name = scene.fresh('renamed')
    const states = [scene.state, withMovedFolder(scene.state, key, `${folderOf(key)}/${name}`)]
    return { method: 'PUT', path: '/api/folders', body: { id: idOf(scene, key), name }, by: 'key', states }
  },
  'move folder': (scene) => {
    const key = scene.chance.pick(inner(scene))
    if (key === undefined) return undefined
    const outside = folders(scene).filter((to) => !`${to}/`.startsWith(`${key}/`))
    const to = scene.chance.pick(outside.filter((folder) => hasRoomFor(scene.state, folder, key)))
    if (to === undefined) return undefined
    const states = [scene.state, withMovedFolder(scene.state, key, `${to}/${nameOf(key)}`)]
    const body = { id: idOf(scene, key), folderId: idOf(scene, to) }
    return { method: 'POST', path: '/api/folders/move', body, by: 'key', states }
  },
  'move folder into a new folder': (scene) => {
    const key = scene.chance.pick(inner(scene))
    if (key === undefined) return undefined
    const to = `${scene.home}/${scene.fresh('target')}`
    const made = withFolder(scene.state, to)
    const states = [scene.state, made, withMovedFolder(made, key, `${to}/${nameOf(key)}`)]
    const body = { id: idOf(scene, key), folder: to }
    return { method: 'POST', path: '/api/folders/move', body, by: 'key', states }
  },
  'folder visibility': (scene) => {
    const sent = other([...scene.state.files.values()][0])
    const states = [scene.state, withVisibility(scene.state, scene.home, sent)]
    const body = { id: idOf(scene, scene.home), visibility: sent }
    return { method: 'PUT', path: '/api/folders', body, by: 'key', states }
  },
  'delete folder': (scene) => {
    const key = scene.chance.pick(inner(scene))
    if (key === undefined) return undefined
    const states = [scene.state, withoutFolder(scene.state, key)]
    return { method: 'DELETE', path: '/api/folders', body: { id: idOf(scene, key) }, by: 'key', states }
  },
  'replace folder': (scene) => {
    const key = scene.chance.pick(inner(scene))
    if (key === undefined) return undefined
    const from = scene.chance.pick(inner(scene).filter((from) => !`${key}/`.startsWith(`${from}/`)))
    if (from === undefined) return undefined
    // It may be inside the other one.
    const aside = `${key} arriving`
    const replaced = withTrashed(withMovedFolder(scene.state, from, aside), key, idOf(scene, key))
    const states = [scene.state, withMovedFolder(replaced, aside, key)]
    const body = { id: idOf(scene, from), replaces: idOf(scene, key) }
    return { method: 'POST', path: '/api/folders/replace', body, by: 'key', states }
  },
  'copy file': (scene) => {
    const key = scene.chance.pick(files(scene))
    return key === undefined ? undefined : copied(scene, key, { fileIds: [idOf(scene, key)] })
  },
  'copy folder': (scene) => {
    const key = scene.chance.pick(inner(scene))
    return key === undefined ? undefined : copied(scene, key, { folderIds: [idOf(scene, key)] })
  },
  'trash file': trashFile,
  'trash folder': trashFolder,
  'restore file': Object.assign(restoreOf('file'), { after: trashFile }),
  'restore folder': Object.assign(restoreOf('folder'), { after: trashFolder }),
  'empty trash': Object.assign(emptyTrash, { after: trashFolder }),
  'import archive': (scene) => importArchive(scene, `${scene.home}/${scene.fresh('imported')}`),
  'create key': (scene) => {
    const name = `${scene.home} ${scene.fresh('key')}`
    const states = [scene.state, withFact(scene.state, `key ${name}`)]
    const body = { name, scopes: ['files:read'] }
    return { method: 'POST', path: '/api/keys', body, by: 'session', states, failsWhole: true }
  },
  'add user': (scene) => {
    const email = `${scene.home}-${scene.fresh('user')}@example.com`
    const states = [scene.state, withFact(scene.state, `user ${email}`)]
    const body = { name: 'Added', email, password: 'a long password', role: 'viewer' }
    return { method: 'POST', path: '/api/users', body, by: 'session', states, failsWhole: true }
  },
  'add limited user': (scene) => {
    const email = `${scene.home}-${scene.fresh('user')}@example.com`
    const folder = `${scene.home}/${scene.fresh('new')}/${scene.fresh('own')}`
    const states = [scene.state, withFact(withFolder(scene.state, folder), `user ${email}`)]
    const access = { role: 'viewer', folders: [{ folder, rights: ['read'] }] }
    const body = { name: 'Added', email, password: 'a long password', ...access }
    return { method: 'POST', path: '/api/users', body, by: 'session', states, failsWhole: true }
  },
}

/** Returns an import of a new folder with files and folders. Other routes start from its result. */
export function importArchive(scene: Scene, folder: string): Operation {
  // Names are unique, so that no move of them conflicts.
  const [sub = '', deep = '', other = ''] = ['sub', 'deep', 'other'].map(scene.fresh)
  const places = ['', '', `${sub}/`, `${sub}/${deep}/`, `${other}/`, `${other}/`]
  const paths = places.map((place) => `${place}${scene.fresh('file')}`)
  const entries = paths.map((path) => ({ path, content: contentOf(path, scene.chance) }))
  const sent = visibility(scene)
  const after = entries.reduce(
    (state, { path, content }) =>
      withFile(state, `${folder}/${path}`, { sha256: sha256(content), visibility: sent }),
    scene.state,
  )
  const path = `/api/folders/import?folder=${encodeURIComponent(folder)}&visibility=${sent}`
  const states = [scene.state, after]
  return { method: 'POST', path, body: buildArchive(entries), by: 'key', states, failsWhole: true }
}

/** Returns a change of the settings, which only one client may make because they belong to the whole instance. */
export function changeSettings({ state, chance }: Scene): Operation {
  const hostingCacheMaxAge = 1 + chance.below(1_000_000)
  const facts = [...state.facts].filter((fact) => !fact.startsWith('setting '))
  const after = withFact({ ...state, facts: new Set(facts) }, `setting ${hostingCacheMaxAge}`)
  const body = { limits: { hostingCacheMaxAge } }
  const states = [state, after]
  return { method: 'PUT', path: '/api/settings', body, by: 'session', states, failsWhole: true }
}

/** Write routes that many clients may use at the same time, by name. */
export const SHARED_ROUTES: ReadonlyMap<string, Route> = new Map(Object.entries(ROUTE_TABLE))
/** All write routes but the registration of the first account. */
export const ROUTES: ReadonlyMap<string, Route> = new Map([
  ...SHARED_ROUTES,
  ['change settings', changeSettings],
])

/** Import that the catalog's own thread commits. It needs the program `largeImports`. */
export const LARGE_IMPORT = 'import large archive'
/** Routes that the rigs try at each position. */
export const SWEPT_ROUTES: ReadonlyMap<string, Route> = new Map([
  ...ROUTES,
  [LARGE_IMPORT, (scene) => importArchive(scene, `${scene.home}/${scene.fresh('large')}`)],
])
