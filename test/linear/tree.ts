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

/** A node that was moved to the trash with everything below it. */
interface Trashed {
  /** Its handle, which no other node gets. */
  top: Handle
  nodes: readonly (readonly [Handle, Node])[]
  /** Key at which it was, of which the folders are made again if they are gone. */
  key: string
}

interface Parts {
  nodes: ReadonlyMap<Handle, Node>
  defaultVisibility: Visibility
  /** By the id of the file or folder. */
  trash: ReadonlyMap<string, Trashed>
  /** First handle that no node ever had. */
  next: Handle
}

/** Files and folders as the model has them: a value that never changes. */
export class Tree {
  readonly defaultVisibility: Visibility
  readonly #parts: Parts
  readonly #nodes: ReadonlyMap<Handle, Node>
  #index: Index | undefined
  #digest: string | undefined

  private constructor(parts: Parts) {
    this.#parts = parts
    this.#nodes = parts.nodes
    this.defaultVisibility = parts.defaultVisibility
  }

  static empty(rootId: string): Tree {
    const root: FolderNode = { kind: 'folder', parent: undefined, name: 'files', id: rootId }
    const nodes = new Map([[ROOT, root]])
    return new Tree({ nodes, defaultVisibility: 'public', trash: new Map(), next: ROOT + 1 })
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
    const trash = [...this.#parts.trash].map(([id, item]) => this.#textOf(id, item))
    return [this.defaultVisibility, ...lines.sort(), ...trash.sort()].join('\n')
  }

  #textOf(id: string, { top, nodes, key }: Trashed): string {
    const parent = nodes.find(([handle]) => handle === top)?.[1].parent
    const place = parent !== undefined && this.#nodes.has(parent) ? this.keyOf(parent) : '-'
    const lines = nodes.map(([handle, { name, id, ...node }]) =>
      [
        handle,
        node.parent,
        name,
        id,
        node.kind === 'file' ? `${node.visibility} ${node.content}` : '',
      ].join(),
    )
    return `trash ${id} ${place} ${key} ${lines.sort().join(';')}`
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
    return new Tree({ ...this.#parts, defaultVisibility })
  }

  add(node: Node): { tree: Tree; handle: Handle } {
    const handle = this.#parts.next
    return { tree: this.#with([[handle, node]], handle + 1), handle }
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
    return new Tree({ ...this.#parts, nodes })
  }

  /** Moves a node whose id is known to the trash. */
  moveToTrash(handle: Handle): Tree {
    const { id = '' } = this.node(handle)
    const trash = new Map(this.#parts.trash)
    trash.set(id, { top: handle, nodes: this.below(handle), key: this.keyOf(handle) })
    const { nodes, next } = this.remove(handle).#parts
    return new Tree({ ...this.#parts, nodes, next, trash })
  }

  /**
   * Returns a node from the trash to its folder, which is made at its key when it is gone. A taken name is numbered.
   * `'missing'` when it is not there; `'conflict'` when a file is in the place of a folder.
   */
  restore(id: string): { tree: Tree; handle: Handle } | 'missing' | 'conflict' {
    const item = this.#parts.trash.get(id)
    const node = item?.nodes.find(([handle]) => handle === item.top)?.[1]
    if (!item || !node) return 'missing'
    const isThere = node.parent !== undefined && this.#nodes.has(node.parent)
    const place =
      isThere && node.parent !== undefined
        ? { tree: this as Tree, handle: node.parent }
        : this.makeFolders(item.key.split('/').slice(0, -1).join('/'))
    if (!place) return 'conflict'
    const { tree, handle: parent } = place
    let { name } = node
    for (let n = 2; tree.childNamed(parent, name) !== undefined; n++) name = `${node.name} (${n})`
    const trash = new Map(this.#parts.trash)
    trash.delete(id)
    const back = tree.#with(item.nodes).#with([[item.top, { ...node, parent, name }]])
    return { tree: new Tree({ ...back.#parts, trash }), handle: item.top }
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

  #with(changed: readonly (readonly [Handle, Node])[], next = this.#parts.next): Tree {
    const nodes = new Map(this.#nodes)
    for (const [handle, node] of changed) nodes.set(handle, node)
    return new Tree({ ...this.#parts, nodes, next })
  }
}
