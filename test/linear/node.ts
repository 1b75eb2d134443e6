export type Visibility = 'public' | 'private'

/** A node's place in a tree; it means nothing in another one. */
export type Handle = number

export interface Place {
  name: string
  /** `undefined` as long as no answer has told it. */
  id: string | undefined
}
/** Bytes that a file had before. */
interface Version {
  /** `undefined` as long as no answer has told it. */
  id: string | undefined
  content: string
}

export interface FileNode extends Place {
  kind: 'file'
  parent: Handle
  /** The newest first. */
  versions: readonly Version[]
  /** ASCII, so that its length is the file's size. */
  content: string
  visibility: Visibility
}
export interface FolderNode extends Place {
  kind: 'folder'
  /** `undefined` for the root. */
  parent: Handle | undefined
}
export type Node = FileNode | FolderNode

export const ROOT: Handle = 0

/** A node that was moved to the trash with everything below it. */
export interface Trashed {
  /** Its handle, which no other node gets. */
  top: Handle
  nodes: readonly (readonly [Handle, Node])[]
  /** Key at which it was, of which the folders are made again if they are gone. */
  key: string
}

/** A node that was read with everything below it. */
export interface Copied {
  top: Handle
  nodes: readonly (readonly [Handle, Node])[]
}

/** What answers tell of a node beside its place. */
export const textOf = (node: Node): string =>
  node.kind === 'folder' ? '' : JSON.stringify([node.visibility, node.content, node.versions])

export const textOfAll = (nodes: readonly (readonly [Handle, Node])[]): string =>
  nodes
    .map(([handle, node]) => [handle, node.parent, node.name, node.id, textOf(node)].join())
    .sort()
    .join(';')
