import type { FolderView } from '../support/api.ts'
import type { FileView } from '../support/holdfast.ts'
import { metadata, VERSION } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { type Handle, ROOT, type Visibility } from './node.ts'
import { type Answer, jsonRequest, type Operation, refused, seeAll, seeFile, seeFolder } from './operation.ts'
import type { Tree } from './tree.ts'

/** Contents of files by their paths below a folder. */
export type Contents = Readonly<Record<string, string>>

/** Adds files to the tree; returns `undefined` when a name is taken. */
function withFiles(
  tree: Tree,
  {
    folder,
    contents,
    visibility,
  }: { folder: string; contents: Contents; visibility: Visibility | undefined },
): Tree | undefined {
  let next: Tree | undefined = tree.makeFolders(folder)?.tree
  for (const [path, content] of Object.entries(contents)) {
    const names = [...(folder === '' ? [] : [folder]), ...path.split('/')]
    const name = names.pop() ?? ''
    const place: { tree: Tree; handle: Handle } | undefined = next?.makeFolders(names.join('/'))
    if (!place || place.tree.childNamed(place.handle, name) !== undefined) return undefined
    next = place.tree.add({
      kind: 'file',
      parent: place.handle,
      name,
      id: undefined,
      content,
      versions: [],
      visibility: visibility ?? tree.defaultVisibility,
    }).tree
  }
  return next
}

export function upload(folder: string, contents: Contents, visibility?: Visibility): Operation {
  return {
    text: `upload ${Object.keys(contents)} to "${folder}" ${visibility ?? ''}`,
    send: (send) => {
      const form = new FormData()
      for (const [name, content] of Object.entries(contents)) form.append('files', new Blob([content]), name)
      form.append('folder', folder)
      if (visibility) form.append('visibility', visibility)
      return send('/api/files', { method: 'POST', body: form })
    },
    apply: (tree, answer) => {
      const next = withFiles(tree, { folder, contents, visibility })
      if (!next) return refused(tree, answer, 409)
      if (answer.status !== 200) return undefined
      const { files } = answer.data as { files: FileView[] }
      return files.length === Object.keys(contents).length ? seeAll(next, files, seeFile) : undefined
    },
  }
}

export function importArchive(folder: string, contents: Contents, visibility: Visibility): Operation {
  const archive = buildArchive(Object.entries(contents).map(([path, content]) => ({ path, content })))
  return {
    text: `import ${Object.keys(contents).slice(0, 5)} into "${folder}" ${visibility}`,
    send: (send) =>
      send(`/api/folders/import?folder=${encodeURIComponent(folder)}&visibility=${visibility}`, {
        method: 'POST',
        body: archive,
      }),
    apply: (tree, answer) => {
      const next = withFiles(tree, { folder, contents, visibility })
      if (!next) return refused(tree, answer, 409)
      if (answer.status !== 200) return undefined
      const data = answer.data as { folder: FolderView; files: number; folders: number }
      if (data.files !== Object.keys(contents).length) return undefined
      return data.folder.key === folder ? seeFolder(next, data.folder) : undefined
    },
  }
}

/** Resumable upload. The server refuses `begin` when the name is taken; `finish` publishes. */
export interface Resumable {
  folder: string
  name: string
  content: string
}

export const beginResumable = ({ folder, name, content }: Resumable): Operation => ({
  text: `begin tus upload of ${name} to "${folder}"`,
  send: (send) =>
    send('/api/uploads', {
      method: 'POST',
      headers: {
        ...VERSION,
        'Upload-Length': String(content.length),
        'Upload-Metadata': metadata({ filename: name, folder }),
      },
    }),
  apply: (tree, answer) => {
    const isFree = withFiles(tree, { folder, contents: { [name]: content }, visibility: undefined })
    return refused(tree, answer, isFree ? 201 : 409)
  },
})

export const finishResumable = (path: string, { folder, name, content }: Resumable): Operation => ({
  text: `finish tus upload of ${name} to "${folder}"`,
  send: (send) =>
    send(path, {
      method: 'PATCH',
      headers: { ...VERSION, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' },
      body: content,
    }),
  apply: (tree, answer) => {
    const next = withFiles(tree, { folder, contents: { [name]: content }, visibility: undefined })
    if (!next) return refused(tree, answer, 409)
    return answer.status === 204 ? next : undefined
  },
})

export const createFolder = (key: string): Operation => ({
  text: `create folder "${key}"`,
  send: jsonRequest('POST', '/folders', { folder: key }),
  apply: (tree, answer) => {
    const made = tree.makeFolders(key)
    if (!made || tree.at(key) !== undefined) return refused(tree, answer, 409)
    const { folder } = (answer.data ?? {}) as { folder?: FolderView }
    return answer.status === 200 && folder?.key === key ? seeFolder(made.tree, folder) : undefined
  },
})

export type Kind = 'file' | 'folder'
const ROUTE = { file: '/files', folder: '/folders' }

/** Applies a response with one changed file or folder to the node `handle`. */
export function seeChanged(tree: Tree, kind: Kind, handle: Handle, answer: Answer): Tree | undefined {
  if (answer.status !== 200) return undefined
  const { file, folder } = answer.data as { file?: FileView; folder?: FolderView }
  if ((file ?? folder)?.key !== tree.keyOf(handle)) return undefined
  return kind === 'file' ? seeFile(tree, file) : seeFolder(tree, folder)
}

export const rename = (kind: Kind, id: string, name: string, visibility?: Visibility): Operation => ({
  text: `rename ${kind} ${short(id)} to ${name}${visibility ? ` and make it ${visibility}` : ''}`,
  send: jsonRequest('PUT', ROUTE[kind], { id, name, visibility }),
  apply: (tree, answer) => {
    const handle = tree.byId(kind, id)
    if (handle === undefined) return refused(tree, answer, 404)
    const { parent } = tree.node(handle)
    if (parent === undefined) return refused(tree, answer, 400)
    const standing = tree.childNamed(parent, name)
    if (standing !== undefined && standing !== handle) return refused(tree, answer, 409)
    const renamed = tree.change([handle], { name })
    const changed = visibility ? withVisibility(renamed, handle, visibility) : renamed
    return seeChanged(changed, kind, handle, answer)
  },
})

export type Destination = { folderId: string } | { folder: string }

export const targetOf = (tree: Tree, to: Destination) => {
  if ('folder' in to) return tree.makeFolders(to.folder) ?? 409
  const handle = tree.byId('folder', to.folderId)
  return handle === undefined ? 404 : { tree, handle }
}

export const shown = (to: Destination) => ('folder' in to ? `"${to.folder}"` : short(to.folderId))

export const move = (kind: Kind, id: string, to: Destination): Operation => ({
  text: `move ${kind} ${short(id)} to ${shown(to)}`,
  send: jsonRequest('POST', `${ROUTE[kind]}/move`, { id, ...to }),
  apply: (tree, answer) => {
    const handle = tree.byId(kind, id)
    if (handle === undefined) return refused(tree, answer, 404)
    if (handle === ROOT) return refused(tree, answer, 400)
    const target = targetOf(tree, to)
    if (typeof target === 'number') return refused(tree, answer, target)
    const { parent, name } = tree.node(handle)
    if (target.handle === parent) return seeChanged(tree, kind, handle, answer)
    if (target.tree.below(handle).some(([at]) => at === target.handle)) return refused(tree, answer, 400)
    if (target.tree.childNamed(target.handle, name) !== undefined) return refused(tree, answer, 409)
    return seeChanged(target.tree.change([handle], { parent: target.handle }), kind, handle, answer)
  },
})

/** Replaces the bytes of a file, but not its id, key and visibility. */
export const replace = (id: string, content: string): Operation => ({
  text: `replace file ${short(id)} by ${content.length} bytes`,
  send: (send) => send(`/api/files/content?id=${id}`, { method: 'PUT', body: content, as: 'member' }),
  apply: (tree, answer) => {
    const handle = tree.byId('file', id)
    if (handle === undefined) return refused(tree, answer, 404)
    return seeChanged(tree.replace(handle, content), 'file', handle, answer)
  },
})

export const remove = (kind: Kind, id: string): Operation => ({
  text: `delete ${kind} ${short(id)}`,
  send: jsonRequest('DELETE', ROUTE[kind], { id }),
  apply: (tree, answer) => {
    const handle = tree.byId(kind, id)
    if (handle === undefined) return refused(tree, answer, 404)
    if (handle === ROOT) return refused(tree, answer, 400)
    return answer.status === 200 ? tree.remove(handle) : undefined
  },
})

/** Deletes files independently, one after the other. */
export const removeFiles = (ids: readonly string[]): Operation => ({
  text: `delete files ${ids.map(short)}`,
  send: jsonRequest('DELETE', '/files', { ids }),
  apply: () => undefined,
  split: (answer) => {
    const { deleted = [] } = (answer.data ?? {}) as { deleted?: string[] }
    const refusal = answer.status === 200 ? 404 : answer.status
    return ids.map((id) => [remove('file', id), { ...answer, status: deleted.includes(id) ? 200 : refusal }])
  },
})

export const setVisibility = (id: string, visibility: Visibility): Operation => ({
  text: `make file ${short(id)} ${visibility}`,
  send: jsonRequest('PUT', '/files', { id, visibility }),
  apply: (tree, answer) => {
    const handle = tree.byId('file', id)
    if (handle === undefined) return refused(tree, answer, 404)
    return seeChanged(tree.change([handle], { visibility }), 'file', handle, answer)
  },
})

const withVisibility = (tree: Tree, handle: Handle, visibility: Visibility): Tree =>
  tree.change(
    tree.filesBelow(handle).map(([at]) => at),
    { visibility },
  )

export const setVisibilityBelow = (id: string, visibility: Visibility): Operation => ({
  text: `make folder ${short(id)} ${visibility}`,
  send: jsonRequest('PUT', '/folders', { id, visibility }),
  apply: (tree, answer) => {
    const handle = tree.byId('folder', id)
    if (handle === undefined) return refused(tree, answer, 404)
    return seeChanged(withVisibility(tree, handle, visibility), 'folder', handle, answer)
  },
})

export const setVisibilityOfAll = (visibility: Visibility): Operation => ({
  text: `make everything ${visibility}`,
  send: jsonRequest('POST', '/settings/apply-visibility', { visibility }),
  apply: (tree, answer) => {
    const changed = tree.filesBelow(ROOT).filter(([, file]) => file.visibility !== visibility).length
    const { updated } = (answer.data ?? {}) as { updated?: number }
    return answer.status === 200 && updated === changed ? withVisibility(tree, ROOT, visibility) : undefined
  },
})

export const setDefault = (visibility: Visibility): Operation => ({
  text: `make ${visibility} the default`,
  send: jsonRequest('PUT', '/settings', { defaultVisibility: visibility }),
  apply: (tree, answer) => (answer.status === 200 ? tree.withDefault(visibility) : undefined),
})

/** Returns the end of an id, where ids of the same moment differ. */
export const short = (id: string) => id.slice(-6)
