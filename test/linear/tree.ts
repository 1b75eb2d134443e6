import { createHash } from 'node:crypto'

export type Visibility = 'public' | 'private'

/** A node's place in a tree; it means nothing in another one. */
export type Handle = number

interface Place {
  name: string
  /** `undefined` as long as no answer has told it. */
  id: string | undefined
}
export interface FileNode extends Place {
  kind: 'file'
  parent: Handle
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

interface Index {
  keys: ReadonlyMap<Handle, string>
  byKey: ReadonlyMap<string, Handle>
  byId: ReadonlyMap<string, Handle>
}

/** Files and folders as the model has them: a value that never changes. */
export class Tree {
  readonly defaultVisibility: Visibility
  readonly #nodes: ReadonlyMap<Handle, Node>
  #index: Index | undefined
  #digest: string | undefined

  private constructor(nodes: ReadonlyMap<Handle, Node>, defaultVisibility: Visibility) {
    this.#nodes = nodes
    this.defaultVisibility = defaultVisibility
  }

  static empty(rootId: string): Tree {
    const root: FolderNode = { kind: 'folder', parent: undefined, name: 'files', id: rootId }
    return new Tree(new Map([[ROOT, root]]), 'public')
  }

  /** The same for two trees exactly when no answer can tell them apart. */
  get digest(): string {
    this.#digest ??= createHash('sha1').update(this.#text()).digest('base64')
    return this.#digest
  }

  #text(): string {
    const lines = this.#entries().map(([handle, node]) => {
      const content = node.kind === 'file' ? `${node.visibility} ${node.content}` : ''
      return `${this.keyOf(handle)}|${node.id ?? '?'}|${content}`
    })
    return [this.defaultVisibility, ...lines.sort()].join('\n')
  }

  #entries(): [Handle, Node][] {
    return [...this.#nodes]
  }

  #indexed(): Index {
    if (this.#index) return this.#index
    const keys = new Map<Handle, string>()
    const keyOf = (handle: Handle): string => {
      const known = keys.get(handle)
      if (known !== undefined) return known
      const { parent, name } = this.node(handle)
      const above = parent === undefined ? '' : keyOf(parent)
      const key = parent === undefined ? '' : above === '' ? name : `${above}/${name}`
      keys.set(handle, key)
      return key
    }
    const byKey = new Map<string, Handle>()
    const byId = new Map<string, Handle>()
    for (const [handle, { id }] of this.#nodes) {
      byKey.set(keyOf(handle), handle)
      if (id !== undefined) byId.set(id, handle)
    }
    this.#index = { keys, byKey, byId }
    return this.#index
  }

  node(handle: Handle): Node {
    const node = this.#nodes.get(handle)
    if (!node) throw new Error(`The model has no node ${handle}`)
    return node
  }

  keyOf(handle: Handle): string {
    return this.#indexed().keys.get(handle) ?? ''
  }

  at(key: string): Handle | undefined {
    return this.#indexed().byKey.get(key)
  }

  fileAt(key: string): FileNode | undefined {
    const handle = this.at(key)
    const node = handle === undefined ? undefined : this.node(handle)
    return node?.kind === 'file' ? node : undefined
  }

  /** The handle of the file or folder with this id. */
  byId(kind: Node['kind'], id: string): Handle | undefined {
    const handle = this.#indexed().byId.get(id)
    return handle !== undefined && this.node(handle).kind === kind ? handle : undefined
  }

  fileById(id: string): FileNode | undefined {
    const handle = this.byId('file', id)
    const node = handle === undefined ? undefined : this.node(handle)
    return node?.kind === 'file' ? node : undefined
  }

  childNamed(parent: Handle, name: string): Handle | undefined {
    const key = this.keyOf(parent)
    return this.at(key === '' ? name : `${key}/${name}`)
  }

  /** The node and everything below it. */
  below(handle: Handle): [Handle, Node][] {
    const key = this.keyOf(handle)
    if (key === '') return this.#entries()
    return this.#entries().filter(([at]) => {
      const other = this.keyOf(at)
      return other === key || other.startsWith(`${key}/`)
    })
  }

  childrenOf(handle: Handle): [Handle, Node][] {
    return this.#entries().filter(([, node]) => node.parent === handle)
  }

  filesBelow(handle: Handle): [Handle, FileNode][] {
    return this.below(handle).filter((entry): entry is [Handle, FileNode] => entry[1].kind === 'file')
  }

  withDefault(defaultVisibility: Visibility): Tree {
    return new Tree(this.#nodes, defaultVisibility)
  }

  add(node: Node): { tree: Tree; handle: Handle } {
    const handle = Math.max(...this.#nodes.keys()) + 1
    return { tree: this.#with([[handle, node]]), handle }
  }

  /** Gives nodes other fields. */
  change(
    handles: readonly Handle[],
    fields: Partial<Place> & { parent?: Handle; visibility?: Visibility; content?: string },
  ): Tree {
    if (handles.length === 0) return this
    return this.#with(handles.map((handle) => [handle, { ...this.node(handle), ...fields } as Node]))
  }

  /** Removes a node and everything below it. */
  remove(handle: Handle): Tree {
    const nodes = new Map(this.#nodes)
    for (const [at] of this.below(handle)) nodes.delete(at)
    return new Tree(nodes, this.defaultVisibility)
  }

  /** Makes the folders at `key` that are missing; `undefined` when a file stands in the way. */
  makeFolders(key: string): { tree: Tree; handle: Handle } | undefined {
    let place: { tree: Tree; handle: Handle } = { tree: this, handle: ROOT }
    for (const name of key === '' ? [] : key.split('/')) {
      const { tree, handle: parent } = place
      const found = tree.childNamed(parent, name)
      if (found === undefined) place = tree.add({ kind: 'folder', parent, name, id: undefined })
      else if (tree.node(found).kind === 'file') return undefined
      else place = { tree, handle: found }
    }
    return place
  }

  /** Notes the id that an answer tells of a node; `undefined` when it cannot be that node's. */
  bind(handle: Handle, id: string): Tree | undefined {
    const node = this.node(handle)
    if (node.id === id) return this
    if (node.id !== undefined || this.#indexed().byId.has(id)) return undefined
    return this.change([handle], { id })
  }

  #with(changed: readonly (readonly [Handle, Node])[]): Tree {
    const nodes = new Map(this.#nodes)
    for (const [handle, node] of changed) nodes.set(handle, node)
    return new Tree(nodes, this.defaultVisibility)
  }
}
