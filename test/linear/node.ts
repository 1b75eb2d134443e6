export type Visibility = 'public' | 'private'

/** Index of a node in its tree. */
export type Handle = number

export interface Place {
  name: string
  /** Id; `undefined` until a response reveals it. */
  id: string | undefined
}
/** Former bytes of a file. */
interface Version {
  /** Id; `undefined` until a response reveals it. */
  id: string | undefined
  content: string
}

export interface FileNode extends Place {
  kind: 'file'
  parent: Handle
  /** Versions, newest first. */
  versions: readonly Version[]
  /** ASCII text, so that its length is the file's size. */
  content: string
  visibility: Visibility
}
export interface FolderNode extends Place {
  kind: 'folder'
  /** Folder; `undefined` for the root. */
  parent: Handle | undefined
}
export type Node = FileNode | FolderNode

export const ROOT: Handle = 0

/** Node in the trash, with all nodes below it. */
export interface Trashed {
  /** Handle, which no other node gets. */
  top: Handle
  nodes: readonly (readonly [Handle, Node])[]
  /** Former key. A restore creates its missing folders. */
  key: string
}

/** Snapshot of a node with all nodes below it. */
export interface Copied {
  top: Handle
  nodes: readonly (readonly [Handle, Node])[]
}

/** Formats the properties of a node that responses reveal, except its place. */
export const textOf = (node: Node): string =>
  node.kind === 'folder' ? '' : JSON.stringify([node.visibility, node.content, node.versions])

export const textOfAll = (nodes: readonly (readonly [Handle, Node])[]): string =>
  nodes
    .map(([handle, node]) => [handle, node.parent, node.name, node.id, textOf(node)].join())
    .sort()
    .join(';')
