import type { FolderView } from '../support/api.ts'
import type { FileView } from '../support/holdfast.ts'
import type { Handle } from './node.ts'
import type { Tree } from './tree.ts'

/** Response to a client. */
export interface Answer {
  /** Status; 0 without a complete response. */
  status: number
  /** `data` of the envelope. */
  data: unknown
  bytes: Uint8Array
}

/** Credentials of a request: an API key, a session, or none. */
export type Role = 'member' | 'admin' | 'visitor'

/** Sends a request to a path below the server's root. */
export type Send = (path: string, init: RequestInit & { as?: Role }) => Promise<Answer>

export interface Operation {
  text: string
  send: (send: Send) => Promise<Answer>
  /** Returns the tree after the operation; `undefined` when `answer` is wrong for `tree`. */
  apply: (tree: Tree, answer: Answer) => Tree | undefined
  /** Splits a request into several operations, each with its response. */
  split?: (answer: Answer) => [Operation, Answer][]
}

/** Builds an operation whose request has a JSON body. */
export const jsonRequest =
  (method: string, path: string, body?: unknown): Operation['send'] =>
  (send) =>
    // The settings accept no API key.
    send(`/api${path}`, {
      method,
      as: path.startsWith('/settings') ? 'admin' : 'member',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

/** Returns the unchanged tree when a response is a refusal with `status`. */
export const refused = (tree: Tree, answer: Answer, status: number): Tree | undefined =>
  answer.status === status ? tree : undefined

/** Applies a response's description of a file to the tree; returns `undefined` when they contradict. */
export function seeFile(tree: Tree, view: FileView | undefined): Tree | undefined {
  const handle = view && tree.at(view.key)
  if (view === undefined || handle === undefined) return undefined
  const node = tree.node(handle)
  if (node.kind !== 'file' || node.name !== view.name || node.visibility !== view.visibility) return undefined
  if (node.content.length !== view.size) return undefined
  return tree.bind(handle, view.id)?.bind(node.parent, view.folderId)
}

/** Applies a response's description of a folder to the tree; returns `undefined` when they contradict. */
export function seeFolder(tree: Tree, view: FolderView | undefined): Tree | undefined {
  const handle = view && tree.at(view.key)
  if (view === undefined || handle === undefined) return undefined
  const node = tree.node(handle)
  if (node.kind !== 'folder' || node.name !== view.name) return undefined
  const seen = tree.bind(handle, view.id)
  if (node.parent === undefined) return view.parentId === null ? seen : undefined
  return view.parentId === null ? undefined : seen?.bind(node.parent, view.parentId)
}

export const seeAll = <View>(
  tree: Tree,
  views: readonly View[],
  see: (tree: Tree, view: View) => Tree | undefined,
): Tree | undefined => views.reduce<Tree | undefined>((seen, view) => seen && see(seen, view), tree)

/** Folder that a request names. */
export type FolderName = { id: string } | { key: string }

export const folderHandle = (tree: Tree, name: FolderName): Handle | undefined => {
  if ('id' in name) return tree.byId('folder', name.id)
  const handle = tree.at(name.key)
  return handle !== undefined && tree.node(handle).kind === 'folder' ? handle : undefined
}
