import { createHash } from 'node:crypto'
import { unzipSync } from 'fflate'
import type { InstanceStats } from '../../src/client/types.ts'
import type { FolderView } from '../support/api.ts'
import type { FileView } from '../support/holdfast.ts'
import { type FileNode, type Handle, ROOT, type Visibility } from './node.ts'
import {
  type Answer,
  type FolderName,
  folderHandle,
  jsonRequest,
  type Operation,
  refused,
  seeAll,
  seeFile,
  seeFolder,
} from './operation.ts'
import type { Tree } from './tree.ts'
import { short } from './writes.ts'

const query = (parameters: object) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')

const encodeKey = (key: string) => key.split('/').map(encodeURIComponent).join('/')

/** Returns the object key in a hosting URL. */
export const keyOfUrl = (url: string) =>
  (/^api\/hosting\/([^?]*)/.exec(url)?.[1] ?? '').split('/').map(decodeURIComponent).join('/')

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

export const lookUp = (by: { id: string } | { key: string }): Operation => ({
  text: `look up file ${'id' in by ? short(by.id) : `"${by.key}"`}`,
  send: jsonRequest('GET', `/files?${query(by)}`),
  apply: (tree, answer) => {
    const found = 'id' in by ? tree.fileById(by.id) : tree.fileAt(by.key)
    if (!found) return refused(tree, answer, 404)
    const { file } = (answer.data ?? {}) as { file?: FileView }
    if (answer.status !== 200 || !file) return undefined
    return ('id' in by ? file.id === by.id : file.key === by.key) ? seeFile(tree, file) : undefined
  },
})

/** Checks that a list has exactly these files, or the first of them by name when it has a limit. */
function seeList(
  tree: Tree,
  views: readonly FileView[],
  { expected, limit }: { expected: readonly [Handle, FileNode][]; limit: number | undefined },
): Tree | undefined {
  if (views.length !== Math.min(expected.length, limit ?? Number.POSITIVE_INFINITY)) return undefined
  if (new Set(views.map(({ key }) => key)).size !== views.length) return undefined
  const names = expected.map(([, { name }]) => name).sort()
  if (
    limit !== undefined &&
    views.map(({ name }) => name).join('/') !== names.slice(0, views.length).join('/')
  )
    return undefined
  const isExpected = new Set(expected.map(([handle]) => handle))
  return seeAll(tree, views, (seen, view) => {
    const handle = tree.at(view.key)
    return handle !== undefined && isExpected.has(handle) ? seeFile(seen, view) : undefined
  })
}

const ordered = (limit: number | undefined) =>
  limit === undefined ? {} : { limit, orderBy: 'name', orderDirection: 'ASC' }

/** Lists all files, or those of one name in any folder. */
export const list = ({ limit, name }: { limit?: number; name?: string }): Operation => ({
  text: `list files${name === undefined ? '' : ` named ${name}`}, ${limit ?? 'no'} limit`,
  send: jsonRequest('GET', `/files?${query({ ...ordered(limit), ...(name === undefined ? {} : { name }) })}`),
  apply: (tree, answer) => {
    if (answer.status !== 200) return undefined
    const { files } = answer.data as { files: FileView[] }
    const expected = tree.filesBelow(ROOT).filter(([, file]) => name === undefined || file.name === name)
    return seeList(tree, files, { expected, limit })
  },
})

export const browse = (folder: FolderName, limit?: number): Operation => ({
  text: `browse folder ${shown(folder)}, ${limit ?? 'no'} limit`,
  send: jsonRequest('GET', `/folders?${query({ ...folder, ...ordered(limit) })}`),
  apply: (tree, answer) => {
    const handle = folderHandle(tree, folder)
    if (handle === undefined) return refused(tree, answer, 404)
    if (answer.status !== 200) return undefined
    const { files, folders } = answer.data as { files: FileView[]; folders: FolderView[] }
    const children = tree.childrenOf(handle)
    const expected = children.filter((entry): entry is [Handle, FileNode] => entry[1].kind === 'file')
    if (folders.length !== children.length - expected.length) return undefined
    const isChild = new Set(children.map(([at]) => at))
    const seen = seeAll(tree, folders, (seen, view) => {
      const at = tree.at(view.key)
      return at !== undefined && isChild.has(at) ? seeFolder(seen, view) : undefined
    })
    return seen && seeList(seen, files, { expected, limit })
  },
})

const shown = (folder: FolderName) => ('id' in folder ? short(folder.id) : `"${folder.key}"`)

export const checksums = (folder: FolderName): Operation => ({
  text: `checksums of folder ${shown(folder)}`,
  send: jsonRequest('GET', `/folders/checksums?${query(folder)}`),
  apply: (tree, answer) => {
    const handle = folderHandle(tree, folder)
    if (handle === undefined) return refused(tree, answer, 404)
    if (answer.status !== 200) return undefined
    const { files } = answer.data as {
      files: { id: string; key: string; sha256: string; visibility: Visibility }[]
    }
    const expected = new Set(tree.filesBelow(handle).map(([at]) => at))
    if (files.length !== expected.size) return undefined
    return seeAll(tree, files, (seen, { id, key, ...content }) => {
      const at = seen.at(key)
      const file = seen.fileAt(key)
      if (at === undefined || !file || !expected.has(at) || file.visibility !== content.visibility)
        return undefined
      return sha256(file.content) === content.sha256 ? seen.bind(at, id) : undefined
    })
  },
})

export const totals = (folder: FolderName): Operation => ({
  text: `totals of folder ${shown(folder)}`,
  send: jsonRequest('GET', `/folders/totals?${query(folder)}`),
  apply: (tree, answer) => {
    const handle = folderHandle(tree, folder)
    if (handle === undefined) return refused(tree, answer, 404)
    const files = tree.filesBelow(handle)
    const folders = tree.below(handle).length - files.length - 1
    const { files: count, folders: folderCount, size } = (answer.data ?? {}) as Record<string, number>
    return count === files.length && folderCount === folders && size === sizeOf(files) ? tree : undefined
  },
})

const sizeOf = (files: readonly [Handle, FileNode][]) =>
  files.reduce((sum, [, { content }]) => sum + content.length, 0)

/** Checks that a response is the file's content, or 404 without a file. */
const isContent = (tree: Tree, answer: Answer, file: FileNode | undefined): Tree | undefined => {
  if (!file) return refused(tree, answer, 404)
  return answer.status === 200 && Buffer.from(answer.bytes).toString() === file.content ? tree : undefined
}

export const open = (key: string, { asMember }: { asMember: boolean }): Operation => ({
  text: `open "${key}"${asMember ? ' as a member' : ''}`,
  send: (send) => send(`/api/hosting/${encodeKey(key)}`, { as: asMember ? 'member' : 'visitor' }),
  apply: (tree, answer) => {
    const file = tree.fileAt(key)
    return isContent(tree, answer, asMember || file?.visibility === 'public' ? file : undefined)
  },
})

export const download = (id: string): Operation => ({
  text: `download ${short(id)}`,
  send: (send) => send(`/api/files/download/${id}`, {}),
  apply: (tree, answer) => isContent(tree, answer, tree.fileById(id)),
})

/** Signed link and the file it was created for. */
export interface Link {
  id: string
  key: string
  url: string
}

export const sign = (id: string): Operation => ({
  text: `sign ${short(id)}`,
  send: jsonRequest('POST', '/files/sign', { id }),
  apply: (tree, answer) => {
    const handle = tree.byId('file', id)
    if (handle === undefined) return refused(tree, answer, 404)
    const { url = '' } = (answer.data ?? {}) as { url?: string }
    return url.startsWith(`api/hosting/${encodeKey(tree.keyOf(handle))}?`) ? tree : undefined
  },
})

export const openLink = ({ id, key, url }: Link): Operation => ({
  text: `open the link of ${short(id)} at "${key}"`,
  send: (send) => send(`/${url}`, { as: 'visitor' }),
  apply: (tree, answer) => {
    const file = tree.fileAt(key)
    return isContent(tree, answer, file?.visibility === 'public' || file?.id === id ? file : undefined)
  },
})

/** Formats the entries of an archive with their content as one text. */
const inOrder = (entries: readonly (readonly [path: string, content: string])[]) =>
  entries
    .map((entry) => entry.join(' '))
    .sort()
    .join('\n')

async function unpacked(sending: Promise<Answer>): Promise<Answer> {
  const answer = await sending
  if (answer.status !== 200) return answer
  const entries = Object.entries(unzipSync(answer.bytes)).map(
    ([path, bytes]) => [path, Buffer.from(bytes).toString()] as const,
  )
  return { ...answer, data: inOrder(entries) }
}

/** Status of an incomplete archive. The delete of a file interrupts it, so it reveals nothing about the tree. */
const BROKEN_OFF = 0

export const archiveFolder = (folder: FolderName): Operation => ({
  text: `archive of folder ${shown(folder)}`,
  send: (send) => unpacked(send(`/api/folders/download?${query(folder)}`, {})),
  apply: (tree, answer) => {
    if (answer.status === BROKEN_OFF) return tree
    const handle = folderHandle(tree, folder)
    if (handle === undefined) return refused(tree, answer, 404)
    if (answer.status !== 200) return undefined
    const { name } = tree.node(handle)
    const above = tree.keyOf(handle).length
    const expected = tree.below(handle).map(([at, node]): [string, string] => {
      const path = `${name}/${tree.keyOf(at).slice(above === 0 ? 0 : above + 1)}`
      if (node.kind === 'file') return [path, node.content]
      return [path.endsWith('/') ? path : `${path}/`, '']
    })
    return answer.data === inOrder(expected) ? tree : undefined
  },
})

export const archiveFiles = (ids: readonly string[]): Operation => ({
  text: `archive of files ${ids.map(short)}`,
  send: (send) => unpacked(jsonRequest('POST', '/files/download', { ids })(send)),
  apply: (tree, answer) => {
    if (answer.status === BROKEN_OFF) return tree
    const handles = ids.flatMap((id) => tree.byId('file', id) ?? [])
    if (handles.length !== ids.length) return refused(tree, answer, 404)
    if (answer.status !== 200) return undefined
    const paths = handles.map((handle) => tree.keyOf(handle).split('/'))
    const folders = paths.map((path) => path.slice(0, -1))
    const shared = (folders[0] ?? []).findIndex((name, depth) =>
      folders.some((other) => other[depth] !== name),
    )
    const depth = shared === -1 ? (folders[0]?.length ?? 0) : shared
    const expected = handles.map((handle, index): [string, string] => {
      const node = tree.node(handle)
      return [(paths[index] ?? []).slice(depth).join('/'), node.kind === 'file' ? node.content : '']
    })
    return answer.data === inOrder(expected) ? tree : undefined
  },
})

const LISTED = 5

export const stats = (): Operation => ({
  text: 'stats',
  send: jsonRequest('GET', '/stats'),
  apply: (tree, answer) => {
    if (answer.status !== 200) return undefined
    const { files: told } = answer.data as { files: NonNullable<InstanceStats['files']> }
    const files = tree.filesBelow(ROOT)
    const size = sizeOf(files)
    const types = files.length === 0 ? [] : [{ size, count: files.length }]
    const expected = {
      total: files.length,
      folders: tree.below(ROOT).length - files.length,
      used: size,
      types,
      visibility: { public: countOf(files, 'public'), private: countOf(files, 'private') },
      listed: Math.min(files.length, LISTED),
      sizes: files
        .map(([, { content }]) => content.length)
        .sort((a, b) => b - a)
        .slice(0, LISTED),
    }
    const found = {
      total: told.total,
      folders: told.folders,
      used: told.storage.used,
      types: told.types.map(({ size, count }) => ({ size, count })),
      visibility: told.visibility,
      listed: told.recent.length,
      sizes: told.largest.map(({ size }) => size),
    }
    return Bun.deepEquals(found, expected)
      ? seeAll(tree, [...told.largest, ...told.recent], seeFile)
      : undefined
  },
})

const countOf = (files: readonly [Handle, FileNode][], visibility: Visibility) => {
  const some = files.filter(([, file]) => file.visibility === visibility)
  return { count: some.length, size: sizeOf(some) }
}

export const settings = (): Operation => ({
  text: 'settings',
  send: jsonRequest('GET', '/settings'),
  apply: (tree, answer) => {
    const { defaultVisibility, visibilityCounts } = (answer.data ?? {}) as {
      defaultVisibility?: Visibility
      visibilityCounts?: Record<Visibility, number>
    }
    const files = tree.filesBelow(ROOT)
    const counts = { public: countOf(files, 'public').count, private: countOf(files, 'private').count }
    return defaultVisibility === tree.defaultVisibility && Bun.deepEquals(visibilityCounts, counts)
      ? tree
      : undefined
  },
})
