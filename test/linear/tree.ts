import { createHash } from 'node:crypto'
import {
  type Copied,
  type FileNode,
  type FolderNode,
  type Handle,
  type Node,
  type Place,
  ROOT,
  type Trashed,
  textOf,
  textOfAll,
  type Visibility,
} from './node.ts'

interface Index {
  keys: ReadonlyMap<Handle, string>
  byKey: ReadonlyMap<string, Handle>
  byId: ReadonlyMap<string, Handle>
}

interface Parts {
  nodes: ReadonlyMap<Handle, Node>
  defaultVisibility: Visibility
  /** Items of the trash by the id of the file or folder. */
  trash: ReadonlyMap<string, Trashed>
  /** Originals read for copies, by the id of the copy. */
  copies: ReadonlyMap<string, Copied>
  /** Next unused handle. */
  next: Handle
}

/** Immutable model of files and folders. */
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
    return new Tree({
      nodes,
      defaultVisibility: 'public',
      trash: new Map(),
      copies: new Map(),
      next: ROOT + 1,
    })
  }

  /** Text that is equal for trees that no response can distinguish. */
  get digest(): string {
    this.#digest ??= createHash('sha1').update(this.#text()).digest('base64')
    return this.#digest
  }

  #text(): string {
    const lines = this.#entries().map(([handle, node]) => {
      return `${this.keyOf(handle)}|${node.id ?? '?'}|${textOf(node)}`
    })
    const trash = [...this.#parts.trash].map(([id, item]) => this.#textOf(id, item))
    const copies = [...this.#parts.copies].map(([id, { nodes }]) => `copy ${id} ${textOfAll(nodes)}`)
    return [this.defaultVisibility, ...lines.sort(), ...trash.sort(), ...copies.sort()].join('\n')
  }

  #textOf(id: string, { top, nodes, key }: Trashed): string {
    const parent = nodes.find(([handle]) => handle === top)?.[1].parent
    const place = parent !== undefined && this.#nodes.has(parent) ? this.keyOf(parent) : '-'
    return `trash ${id} ${place} ${key} ${textOfAll(nodes)}`
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

  /** Returns the handle of a file or folder. */
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

  /** Returns a node and all nodes below it. */
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

  /** Changes fields of nodes. */
  change(
    handles: readonly Handle[],
    fields: Partial<Place> & { parent?: Handle; visibility?: Visibility; content?: string },
  ): Tree {
    if (handles.length === 0) return this
    return this.#with(handles.map((handle) => [handle, { ...this.node(handle), ...fields } as Node]))
  }

  /** Removes a node and all nodes below it. */
  remove(handle: Handle): Tree {
    const nodes = new Map(this.#nodes)
    for (const [at] of this.below(handle)) nodes.delete(at)
    return new Tree({ ...this.#parts, nodes })
  }

  /** Moves a node with a known id to the trash. */
  moveToTrash(handle: Handle): Tree {
    const { id = '' } = this.node(handle)
    const trash = new Map(this.#parts.trash)
    trash.set(id, { top: handle, nodes: this.below(handle), key: this.keyOf(handle) })
    const { nodes, next } = this.remove(handle).#parts
    return new Tree({ ...this.#parts, nodes, next, trash })
  }

  /**
   * Restores a node from the trash to its folder, which is created at its key if it is missing. A taken name gets a
   * number. Returns `'missing'` without such an item, `'conflict'` when a file has the key of a folder.
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

  /** Returns the kind of an item in the trash; `undefined` without such an item. */
  trashedKind(id: string): Node['kind'] | undefined {
    const item = this.#parts.trash.get(id)
    return item?.nodes.find(([handle]) => handle === item.top)?.[1].kind
  }

  /** Replaces a folder by another of the tree or of the trash. The replaced one moves to the trash. */
  swap(id: string, old: Handle): { tree: Tree; handle: Handle } | undefined {
    const { parent, name } = this.node(old)
    if (parent === undefined) return undefined
    const item = this.#parts.trash.get(id)
    const handle = item?.top ?? this.byId('folder', id)
    if (handle === undefined) return undefined
    // One that is inside leaves before the rest goes to the trash. No folder has this name.
    const apart = item ? this : this.change([handle], { parent, name: '/' })
    const { nodes, next, ...parts } = apart.moveToTrash(old).#parts
    const trash = new Map(parts.trash)
    trash.delete(id)
    const tree = new Tree({ ...parts, nodes, next, trash }).#with(item?.nodes ?? [])
    return { tree: tree.change([handle], { parent, name }), handle }
  }

  /** Saves a snapshot of a node under the id of its copy. */
  takeCopy(top: Handle, id: string): Tree {
    const copies = new Map(this.#parts.copies)
    copies.set(id, { top, nodes: this.below(top) })
    return new Tree({ ...this.#parts, copies })
  }

  /**
   * Adds a copy from its snapshot, under its name or a numbered one. Files that left the tree since are private.
   * Returns `undefined` without a snapshot, or when the name is wrong or taken.
   */
  addCopy(
    id: string,
    { parent, name }: { parent: Handle; name: string },
  ): { tree: Tree; handle: Handle } | undefined {
    const copy = this.#parts.copies.get(id)
    const own = copy?.nodes.find(([handle]) => handle === copy.top)?.[1].name ?? ''
    const isNamed =
      name === own || (name.startsWith(`${own} (`) && /^\d+\)$/.test(name.slice(own.length + 2)))
    if (!copy || !isNamed || this.childNamed(parent, name) !== undefined) return undefined
    const first = this.#parts.next
    const places = new Map(copy.nodes.map(([handle], at) => [handle, first + at]))
    const nodes = copy.nodes.map(([handle, node]): [Handle, Node] => {
      const isTop = handle === copy.top
      const place = { name: isTop ? name : node.name, id: undefined }
      const at = places.get(handle) ?? first
      const above = isTop ? parent : (places.get(node.parent ?? ROOT) ?? parent)
      if (node.kind === 'folder') return [at, { ...node, ...place, parent: above }]
      const now = this.#nodes.get(handle)
      const visibility = now?.kind === 'file' ? now.visibility : 'private'
      return [at, { ...node, ...place, parent: above, visibility, versions: [] }]
    })
    const copies = new Map(this.#parts.copies)
    copies.delete(id)
    const added = this.#with(nodes, first + nodes.length)
    return { tree: new Tree({ ...added.#parts, copies }), handle: places.get(copy.top) ?? first }
  }

  /** Replaces the bytes of a file. The former ones become a version. */
  replace(handle: Handle, content: string): Tree {
    const node = this.node(handle)
    if (node.kind === 'folder') return this
    const versions = [{ id: undefined, content: node.content }, ...node.versions]
    return this.#with([[handle, { ...node, content, versions }]])
  }

  /** Returns a version of a file in the tree. */
  version(id: string): { handle: Handle; content: string } | undefined {
    for (const [handle, node] of this.#nodes) {
      if (node.kind !== 'file') continue
      const found = node.versions.find((version) => version.id === id)
      if (found) return { handle, content: found.content }
    }
    return undefined
  }

  /** Assigns ids to all versions of a file; returns `undefined` when they have others. */
  bindVersions(handle: Handle, ids: readonly string[]): Tree | undefined {
    const node = this.node(handle)
    if (node.kind === 'folder') return undefined
    if (node.versions.some(({ id }, at) => id !== undefined && id !== ids[at])) return undefined
    const versions = node.versions.map((version, at) => ({ ...version, id: ids[at] }))
    return this.#with([[handle, { ...node, versions }]])
  }

  /** Creates the missing folders of `key`; returns `undefined` when a file has the key of one. */
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

  /** Assigns an id to a node; returns `undefined` when it cannot be that node's. */
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
