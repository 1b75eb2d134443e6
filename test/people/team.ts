import type { Right } from '../../src/store/store.ts'
import { leaveAll, openStage } from '../browser/visitor.ts'
import { ADD, ALL, EDIT, VIEW } from '../rights/guests.ts'
import { registerAdmin, signIn } from '../support/accounts.ts'
import { type Api, apiOf } from '../support/api.ts'
import { Chance } from '../support/chance.ts'
import { ADMIN } from '../support/holdfast.ts'
import type { RigOptions, Tally } from '../support/tally.ts'
import { atBase, Guest } from './guest.ts'
import { House } from './house.ts'
import { folderOf, type Item, type Person, type Tree, type View } from './model.ts'

const [GROUPS, MEMBERS, VISITS, ACTIONS] = [8, 5, 12, 30]
const LEVELS: readonly (readonly Right[])[] = [VIEW, ADD, EDIT, ALL]

/** Member of the team, with its session or key. */
interface Member extends Person {
  api: Api
  cookie: string
  /** True for an API key, which is bound to the folder of its only grant. */
  isKey?: boolean
}

interface Turn {
  house: House
  chance: Chance
  member: Member
  tree: Tree
  view: View
}

/** Plays a history of a team by HTTP, and looks at the pages of some members meanwhile. */
export async function playTeam(tally: Tally, { seed, count = VISITS }: RigOptions): Promise<void> {
  const chance = new Chance(seed)
  await using stage = await openStage()
  const house = new House(stage, await registerAdmin(stage.holdfast), tally)
  try {
    const members = await hire(house, chance)
    for (let visit = 0; visit < count; visit += 1) {
      const wrong: string[] = []
      const person = chance.pick(members.filter(({ isKey, name }) => !isKey && !house.guests.has(name)))
      // The pages of the last visits stay open, and show what changes.
      for (const [name, { page }] of [...house.guests].slice(0, -2)) {
        house.guests.delete(name)
        await page.close()
      }
      await house.step(`${person?.name} looks, after ${ACTIONS} actions of others`, async () => {
        if (person) await look(house, person)
        for (let action = 0; action < ACTIONS; action += 1) wrong.push(...(await act(house, chance, members)))
      })
      tally.judge(`responses to ${ACTIONS} actions`, wrong)
    }
  } finally {
    await leaveAll()
  }
}

async function look(house: House, person: Member): Promise<void> {
  const guest = await Guest.open(house.stage, person, { cookie: person.cookie })
  house.guests.set(person.name, guest)
  await house.read()
  await guest.page.goto(atBase('/files'))
  await guest.page.getByRole('heading', { level: 1 }).waitFor()
}

/** Makes the folders of the groups, the accounts and the keys of two apps. */
async function hire(house: House, chance: Chance): Promise<Member[]> {
  const { admin, stage } = house
  const projects: { id: string; key: string }[] = []
  const everyone = await admin.api.createFolder(house.named('commons'))
  await admin.api.data('PUT', '/folders/people', { id: everyone.id, everyone: true, rights: ADD })
  house.everyone.set(everyone.id, ADD)
  const groups = Array.from({ length: GROUPS }, () => `teams/${house.named('group')}`)
  for (const group of groups)
    for (const project of [house.named('project'), `${house.named('project')}/${house.named('part')}`]) {
      const key = `${group}/${project}`
      projects.push(await admin.api.createFolder(key))
      for (const name of [house.named('plan', '.txt'), house.named('bill', '.txt')])
        await admin.api.upload(name, name, key, 'private')
    }
  const tree = await house.read()
  const members: Member[] = []
  for (let n = 0; n < GROUPS * MEMBERS; n += 1) {
    const own = tree.items.find(({ key }) => key === groups[n % GROUPS])
    const grants = new Map([[own?.id ?? '', chance.pick(LEVELS) ?? VIEW]])
    for (let more = chance.below(3); more > 0; more -= 1)
      grants.set(chance.pick(projects)?.id ?? '', chance.pick(LEVELS) ?? VIEW)
    const [name, email, isViewer] = [`Member ${n}`, `member${n}@example.com`, n % 6 === 5]
    const { user } = await admin.api.data<{ user: { id: string } }>('POST', '/users', {
      ...{ name, email, password: ADMIN.password, role: isViewer ? 'viewer' : 'editor' },
      folders: [...grants].map(([folderId, rights]) => ({ folderId, rights })),
    })
    const { api, cookie } = await signIn(stage.holdfast, email)
    members.push({ id: user.id, name, email, isViewer, grants, api, cookie, deeds: new Set() })
  }
  for (const owner of members
    .filter(({ isViewer, grants }) => !isViewer && [...grants.values()][0] === ALL)
    .slice(0, 2)) {
    const [folderId = ''] = owner.grants.keys()
    const { key } = await owner.api.data<{ key: { key: string } }>('POST', '/keys', {
      ...{ name: 'app', scopes: ['files:read', 'files:write', 'files:delete'], folderId },
    })
    const api = apiOf(stage.holdfast, { withKey: { 'API-Key': key.key } })
    members.push({ ...owner, name: `App of ${owner.name}`, api, isKey: true, boundTo: folderId })
  }
  return members
}

/** Sends the request of one action, whose response must be that of the model. */
async function act(house: House, chance: Chance, members: readonly Member[]): Promise<string[]> {
  if (chance.below(6) === 0) return manage(house, chance, members)
  const tree = await house.read()
  const member = chance.pick(members)
  const [what, deed] = chance.pick(Object.entries(DEEDS)) ?? []
  if (!member || !deed) return []
  const view = house.viewOf(member, tree)
  const of = { house, chance, member, tree, view }
  const { status, expected, about } = (await deed(of)) ?? { status: 0, expected: 0, about: '' }
  for (const word of about.match(/zq\d+qz/g) ?? []) member.deeds.add(word)
  return status === expected
    ? []
    : [`${member.name}, ${what} ${about}: ${status}, the model says ${expected}`]
}

interface Outcome {
  status: number
  expected: number
  about: string
}
type Deed = (turn: Turn) => Promise<Outcome | undefined>

/** Picks something that the member sees, or anything. */
function pickItem({ chance, tree, view }: Turn, kind?: Item['kind']): Item | undefined {
  const all = chance.below(3) === 0 ? tree.items : [...view.seen.values()]
  return chance.pick(all.filter((item) => kind === undefined || item.kind === kind))
}

/** Returns the status by the order of refusals: what the role may not, what does not exist, what the rights do not give. */
const statusOf = ({ member }: Turn, isSeen: boolean, mayDo: boolean, needsRole = true) =>
  needsRole && member.isViewer ? 403 : !isSeen ? 404 : mayDo ? 200 : 403

const isEntry = ({ view }: Turn, item: Item) => view.entries.some(({ id }) => id === item.id)

const DEEDS: Record<string, Deed> = {
  read: async (turn) => {
    const item = pickItem(turn)
    if (!item) return
    const status = await turn.member.api.status('GET', `/${item.kind}s?id=${item.id}`)
    return { status, expected: statusOf(turn, turn.view.seen.has(item.id), true, false), about: item.key }
  },
  upload: async (turn) => {
    const { house, member, view } = turn
    const folder = pickItem(turn, 'folder')
    if (!folder) return
    const form = new FormData()
    form.set('folder', folder.key)
    const name = house.named('file', '.txt')
    form.set('files', new File(['text'], name))
    const { status } = await member.api.sendBody('POST', '/files', form)
    const expected = statusOf(turn, view.seen.has(folder.id), view.may('write', folder.key))
    return { status, expected, about: `${folder.key}/${name}` }
  },
  folder: async (turn) => {
    const { house, member, view } = turn
    const folder = pickItem(turn, 'folder')
    if (!folder || folder.key.split('/').length > 5) return
    const key = `${folder.key}/${house.named('folder')}`
    const status = await member.api.status('POST', '/folders', { folder: key })
    const expected = statusOf(turn, view.seen.has(folder.id), view.may('write', folder.key))
    return { status, expected, about: key }
  },
  rename: async (turn) => {
    const { house, member, view } = turn
    const item = pickItem(turn)
    if (!item) return
    const name = house.named('renamed')
    const status = await member.api.status('PUT', `/${item.kind}s`, { id: item.id, name })
    const mayDo = !isEntry(turn, item) && view.may('write', folderOf(item.key))
    return {
      status,
      expected: statusOf(turn, view.seen.has(item.id), mayDo),
      about: `${item.key} to ${name}`,
    }
  },
  move: async (turn) => {
    const { member, view } = turn
    const [item, target] = [pickItem(turn), pickItem(turn, 'folder')]
    if (!item || !target || folderOf(item.key) === target.key || `${target.key}/`.startsWith(`${item.key}/`))
      return
    const status = await member.api.status('POST', `/${item.kind}s/move`, {
      id: item.id,
      folderId: target.id,
    })
    const above = folderOf(item.key)
    const top = view.entries.find(({ key }) => `${above}/`.startsWith(`${key}/`))
    const leaves = !top || !`${target.key}/`.startsWith(`${top.key}/`)
    const mayDo =
      !isEntry(turn, item) &&
      view.may('write', above) &&
      view.may('write', target.key) &&
      (!leaves || view.may('delete', above))
    const isSeen = view.seen.has(item.id) && view.seen.has(target.id)
    return { status, expected: statusOf(turn, isSeen, mayDo), about: `${item.key} to ${target.key}` }
  },
  trash: async (turn) => {
    const { member, view } = turn
    const item = pickItem(turn)
    if (!item || item.key.split('/').length < 4) return
    const status = await doneStatus(member.api, 'POST', '/trash', { [`${item.kind}Ids`]: [item.id] })
    const mayDo = !isEntry(turn, item) && view.seen.has(item.id) && view.may('delete', folderOf(item.key))
    return { status, expected: mayDo && !member.isViewer ? 200 : 403, about: item.key }
  },
  restore: async (turn) => {
    const { chance, member, tree, view } = turn
    const item = chance.pick(tree.trash)
    if (!item) return
    const status = await doneStatus(member.api, 'POST', '/trash/restore', { ids: [item.id] })
    const isSeen = view.trash.some(({ id }) => id === item.id)
    const mayDo = isSeen && view.may('write', folderOf(item.key))
    return { status, expected: mayDo && !member.isViewer ? 200 : 403, about: item.key }
  },
  share: async (turn) => {
    const { member, view } = turn
    const item = pickItem(turn, 'file')
    if (!item || member.isKey) return
    const status = await member.api.status('POST', '/shares', { items: [{ fileId: item.id }] })
    // A list of shares has the ids of their items.
    member.deeds.add(item.id)
    const mayDo = view.may('share', folderOf(item.key))
    return { status, expected: statusOf(turn, view.seen.has(item.id), mayDo), about: item.key }
  },
}

/** Returns 200 if a batch of one item did it, and 403 if it failed. */
async function doneStatus(api: Api, method: string, path: string, body: object): Promise<number> {
  const response = await api.send(method, path, body)
  if (response.status !== 200) return 403
  const { data } = (await response.json()) as { data: { failed: unknown[] } }
  return data.failed.length === 0 ? 200 : 403
}

/** Lets the admin change rights, or the tree around the members. */
async function manage(house: House, chance: Chance, members: readonly Member[]): Promise<string[]> {
  const { api } = house.admin
  const { items } = await house.read()
  const folders = items.filter(({ kind, key }) => kind === 'folder' && key.split('/').length > 2)
  const [folder, target] = [chance.pick(folders), chance.pick(folders)]
  const member = chance.pick(members.filter(({ isKey }) => !isKey))
  if (!folder || !target || !member) return []
  if (chance.below(3) > 0) {
    const rights = member.grants.has(folder.id) ? [] : (chance.pick(LEVELS) ?? VIEW)
    await api.data('PUT', '/folders/people', { id: folder.id, userId: member.id, rights })
    if (rights.length === 0) member.grants.delete(folder.id)
    else member.grants.set(folder.id, rights)
  } else if (!`${target.key}/`.startsWith(`${folder.key}/`) && folderOf(folder.key) !== target.key)
    await api.data('POST', '/folders/move', { id: folder.id, folderId: target.id })
  return []
}
