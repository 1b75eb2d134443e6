import { expect, test } from 'bun:test'
import { Chance } from '../support/chance.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, bindKey } from './guests.ts'

const holdfast = withInside()
const { api, trash } = holdfast

/** File or folder of the model. One in the trash has no place. */
interface Node {
  id: string
  name: string
  kind: 'file' | 'folder'
  parent: Node | undefined
  isTrashed: boolean
}

/** Tree with the folders that a guest was let into. */
class Model {
  readonly nodes: Node[] = []
  readonly granted = new Set<Node>()

  /** Returns the nodes from one up to the root; `undefined` for one that is in the trash, or below such a one. */
  path(node: Node): Node[] | undefined {
    const path: Node[] = []
    for (let at: Node | undefined = node; at; at = at.parent) {
      if (at.isTrashed) return undefined
      path.unshift(at)
    }
    return path
  }

  key = (node: Node) =>
    this.path(node)
      ?.map(({ name }) => name)
      .join('/') ?? ''

  placed = (kind: Node['kind']) => this.nodes.filter((node) => node.kind === kind && this.path(node))

  /** Returns what the guest sees, the folders of its grants included. */
  seen = (kind: Node['kind']) =>
    this.placed(kind).filter((node) => this.path(node)?.some((above) => this.granted.has(above)))

  isBelow = (node: Node, top: Node) => this.path(node)?.includes(top) ?? false
}

const ids = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id).sort()

/** Steps of a history. Each changes the tree, and the model in the same way. */
const STEPS: Record<string, (model: Model, chance: Chance, next: () => string) => Promise<void>> = {
  folder: async (model, chance, next) => {
    const [parent, name] = [chance.pick([undefined, ...model.placed('folder')]), next()]
    const { id } = await api.createFolder(parent ? `${model.key(parent)}/${name}` : name)
    model.nodes.push({ id, name, kind: 'folder', parent, isTrashed: false })
  },
  file: async (model, chance, next) => {
    const [parent, name] = [chance.pick(model.placed('folder')), `${next()}.txt`]
    if (!parent) return
    const { id } = await api.upload(name, name, model.key(parent), 'private')
    model.nodes.push({ id, name, kind: 'file', parent, isTrashed: false })
  },
  rename: async (model, chance, next) => {
    const [node, name] = [chance.pick([...model.placed('folder'), ...model.placed('file')]), next()]
    if (!node) return
    await api.data('PUT', `/${node.kind}s`, { id: node.id, name })
    node.name = name
  },
  move: async (model, chance) => {
    const node = chance.pick([...model.placed('folder'), ...model.placed('file')])
    const target = chance.pick(model.placed('folder'))
    if (!node || !target || node.parent === target || model.isBelow(target, node)) return
    // A folder that was replaced may return with the name of the one in its place.
    if (model.nodes.some(({ parent, name }) => parent === target && name === node.name)) return
    await api.data('POST', `/${node.kind}s/move`, { id: node.id, folderId: target.id })
    node.parent = target
  },
  trash: async (model, chance) => {
    const node = chance.pick([...model.placed('folder'), ...model.placed('file')])
    if (!node) return
    await trash.put({ [`${node.kind}Ids`]: [node.id] })
    node.isTrashed = true
  },
  restore: async (model, chance) => {
    // One whose folder is in the trash comes back into a new folder.
    const node = chance.pick(
      model.nodes.filter(({ isTrashed, parent }) => isTrashed && (!parent || model.path(parent))),
    )
    if (!node) return
    const { restored } = await trash.restore(node.id)
    node.isTrashed = false
    // Its name may be taken.
    node.name = restored[0]?.name ?? node.name
  },
  replace: async (model, chance) => {
    const [next, old] = [chance.pick(model.placed('folder')), chance.pick(model.placed('folder'))]
    if (!next || !old || model.isBelow(next, old) || model.isBelow(old, next)) return
    await api.data('POST', '/folders/replace', { id: next.id, replaces: old.id })
    Object.assign(next, { name: old.name, parent: old.parent })
    old.isTrashed = true
    // Rights in the place pass to what takes it.
    model.granted.delete(next)
    if (model.granted.delete(old)) model.granted.add(next)
  },
  grant: async (model, chance) => {
    const folder = chance.pick(model.nodes.filter(({ kind }) => kind === 'folder'))
    if (folder && !model.granted.delete(folder)) model.granted.add(folder)
  },
}

test('a guest sees what a model of the tree says, whatever happens to it', async () => {
  const seed = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)
  const chance = new Chance(seed)
  const model = new Model()
  const guest = await addGuest(holdfast, {})
  let names = 0
  const next = () => {
    names += 1
    return `n${names}`
  }
  for (const step of ['folder', 'folder', 'file', 'grant']) await STEPS[step]?.(model, chance, next)
  const history: string[] = []
  const check = async () => {
    const context = `HOLDFAST_SEED=${seed} after ${history.slice(-6).join(', ')}`
    await guest.limit(Object.fromEntries([...model.granted].map(({ id }) => [id, ['read']])))
    const [files, folders] = [model.seen('file'), model.seen('folder')]
    const keys = (nodes: readonly Node[]) => nodes.map(model.key).sort()
    const content = folders.filter(({ parent }) => parent && folders.includes(parent))
    expect([context, ids(await guest.api.list({ limit: 1000 }))]).toEqual([context, ids(files)])
    expect([context, ids(await guest.api.list())]).toEqual([context, ids(files)])
    const { items } = await guest.api.data<{
      items: { file?: { key: string }; folder?: { key: string } }[]
    }>('GET', '/search?limit=200')
    const found = items.map(({ file, folder }) => (file ?? folder)?.key ?? '').sort()
    expect([context, found]).toEqual([context, keys([...files, ...folders])])
    const tops = folders.filter((folder) => !content.includes(folder))
    const { folders: shown } = await guest.api.browse()
    expect([context, ids(shown)]).toEqual([context, ids(tops)])
    for (const node of model.nodes) {
      const isSeen = [...files, ...folders].includes(node)
      const status = await guest.api.status('GET', `/${node.kind}s?id=${node.id}`)
      expect([context, node.name, status]).toEqual([context, node.name, isSeen ? 200 : 404])
    }
    const folder = chance.pick(folders)
    if (!folder) return
    const inside = await guest.api.browse({ key: model.key(folder) })
    const children = (of: readonly Node[]) => ids(of.filter(({ parent }) => parent === folder))
    expect([context, ids(inside.files), ids(inside.folders)]).toEqual([
      context,
      children(files),
      children(folders),
    ])
  }
  for (let n = 0; n < 60; n += 1) {
    const step = chance.pick(Object.keys(STEPS)) ?? ''
    history.push(step)
    await STEPS[step]?.(model, chance, next)
    if (n % 2 === 0) await check()
  }
  await check()
})

test('a grant that one server takes is gone with the next request to any', async () => {
  const { id } = await api.createFolder('shared by servers')
  const file = await api.upload('a.txt', 'a', 'shared by servers', 'private')
  const guest = await addGuest(holdfast, { [id]: ['read'] })
  const key = await bindKey(holdfast, id)
  for (let n = 0; n < 3; n += 1) {
    await guest.limit({ [id]: ['read'] })
    for (const reader of [guest.api, key, guest.api])
      expect(await reader.status('GET', `/files?id=${file.id}`)).toBe(200)
    await guest.limit({})
    for (const path of [`/files?id=${file.id}`, `/folders?id=${id}`, `/files/download/${file.id}`])
      expect([path, await guest.api.status('GET', path)]).toEqual([path, 404])
    expect(await guest.api.list({ limit: 10 })).toEqual([])
  }
})
