import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { invitationTexts } from '../../src/dashboard/texts/invitations.ts'
import { rightsTexts } from '../../src/dashboard/texts/rights.ts'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { texts } from '../../src/dashboard/texts.ts'
import type { Right } from '../../src/store/store.ts'
import { choose, chooseNew, fillSignIn, item, pick, pickFolder } from '../browser/site.ts'
import { hold, leaveAll, openStage, textFile, visit } from '../browser/visitor.ts'
import { ADD, ALL, EDIT, VIEW } from '../rights/guests.ts'
import { registerAdmin } from '../support/accounts.ts'
import { becomes } from '../support/eventually.ts'
import { ADMIN, BASE_URL } from '../support/holdfast.ts'
import type { Tally } from '../support/tally.ts'
import { atBase, Guest, PATIENCE_MS } from './guest.ts'
import { House } from './house.ts'
import type { Person } from './model.ts'
import { Office } from './office.ts'

const words = texts.files
/** Bytes of a file that is uploaded in pieces. */
const FILM_BYTES = 60 * 1024 ** 2

/** House of a family, which does everything in the browser. */
class Family extends House {
  readonly office: Office
  readonly local = mkdtempSync(join(tmpdir(), 'holdfast-family-'))
  readonly #called = new Map<string, string>()

  constructor(page: Page, ...house: ConstructorParameters<typeof House>) {
    super(...house)
    this.office = new Office(page)
  }

  /** Returns the name by which the family calls a file or folder. */
  called(word: string): string {
    const [stem = '', ending] = word.split('.')
    const name = this.#called.get(word) ?? this.named(stem, ending && `.${ending}`)
    this.#called.set(word, name)
    return name
  }

  /** Returns the object key of what has these words on its path. */
  at = (path: string): string =>
    path
      .split('/')
      .map((word) => this.called(word))
      .join('/')

  /** Opens a page of a new account. */
  async enter(name: string, grants: Record<string, readonly Right[]>): Promise<Guest> {
    const [email, deeds] = [emailOf(name), new Set<string>()]
    const person: Person = { id: '', name, email, grants: new Map(), deeds }
    for (const [key, rights] of Object.entries(grants)) person.grants.set(await this.idOf(key), rights)
    const guest = await Guest.open(this.stage, person)
    this.guests.set(name, guest)
    return guest
  }

  /** Gives an account the rights of the model in a folder. */
  async grant(name: string, path: string, rights: readonly Right[]): Promise<void> {
    this.guest(name).person.grants.set(await this.idOf(this.at(path)), rights)
  }

  async open(name: string, path: string): Promise<Page> {
    const guest = this.guest(name)
    await guest.openFolder(this.at(path))
    await guest.page.getByRole('heading', { name: this.at(path).split('/').at(-1) ?? '' }).waitFor()
    return guest.page
  }

  /** Uploads a file to a folder by the button. */
  async upload(name: string, path: string, word: string): Promise<Page> {
    const page = await this.open(name, path)
    this.guest(name).did(this.called(word))
    await pick(page, textFile(this.called(word)))
    await item(page, this.called(word)).waitFor()
    return page
  }

  /** Writes a file on this machine. Returns its path. */
  write(word: string, content: string | Buffer = word, folder = this.local): string {
    const path = join(folder, this.called(word))
    writeFileSync(path, content)
    return path
  }

  /** Checks the status with which a share answers to visitors. */
  async expectShare(status: number): Promise<void> {
    const response = await this.stage.holdfast.fetch(this.link.replace(BASE_URL, ''))
    if (response.status !== status) throw new Error(`The share answers ${response.status}, not ${status}`)
  }

  /** Link of a share. */
  link = ''
}

const emailOf = (name: string) => `${name.toLowerCase()}@example.com`

async function accept({ page, person }: Guest, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel(texts.account.name).fill(person.name)
  await page.getByLabel(texts.account.email).fill(person.email)
  await page.getByLabel(texts.account.password, { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: invitationTexts.accept }).click()
  await page.getByRole('navigation', { name: texts.frame.navigation }).first().waitFor()
}

async function signIn({ page, person }: Guest): Promise<void> {
  await page.goto(atBase('/files'))
  await fillSignIn(page, person.email)
  await page.getByRole('navigation', { name: texts.frame.navigation }).first().waitFor()
}

/** Steps of the family's history, in their order. */
const STEPS: Record<string, (family: Family) => Promise<unknown>> = {
  'a folder is shared with everyone': async (family) => {
    await family.office.letIn(family.called('Family'), rightsTexts.everyone, 'add')
    family.everyone.set(await family.idOf(family.at('Family')), ADD)
  },
  'Maria joins by an invitation from the people of a folder': async (family) => {
    const link = await family.office.inviteTo(family.called('Holidays'))
    await accept(await family.enter('Maria', { [family.at('Holidays')]: ALL }), link)
  },
  'Tom joins by an invitation to a folder below another': async (family) => {
    const link = await family.office.invite(family.at('Kids/School'))
    await accept(await family.enter('Tom', { [family.at('Kids/School')]: EDIT }), link)
  },
  'Eva gets a folder of her own': async (family) => {
    await family.office.addUser('Eva', emailOf('Eva'), true)
    await signIn(await family.enter('Eva', { 'people/Eva': EDIT }))
  },
  'Leo has what everyone has, and is let into a folder while he looks': async (family) => {
    await family.office.addUser('Leo', emailOf('Leo'), false)
    await signIn(await family.enter('Leo', {}))
    await family.office.letIn(family.called('Kids'), 'Leo', 'add')
    await family.grant('Leo', 'Kids', ADD)
  },
  'files arrive by the button, by a drop and as a folder': async (family) => {
    await family.upload('Maria', 'Holidays', 'beach.txt')
    const page = await family.open('Tom', 'Kids/School')
    family.guest('Tom').did(family.called('drawing.txt'))
    await drop(page, family.write('drawing.txt'))
    await item(page, family.called('drawing.txt')).waitFor()
    const [eva, folder] = [family.guest('Eva'), join(family.local, family.called('letters'))]
    mkdirSync(folder)
    family.write('letter.txt', 'Dear all', folder)
    eva.did(family.called('letter.txt'), family.called('letters'))
    await eva.openFolder('people/Eva')
    await pickFolder(eva.page, folder)
    await eva.page.getByText(texts.uploads.done('1 file')).waitFor()
  },
  'Tom renames a file': async (family) => {
    const page = await family.open('Tom', 'Kids/School')
    const [before, after] = [family.called('drawing.txt'), family.called('painting.txt')]
    family.guest('Tom').did(after)
    await choose(page, before, words.rename)
    await page.getByLabel(words.newName(before)).fill(after)
    await page.keyboard.press('Enter')
    await item(page, after).waitFor()
  },
  'Leo makes a folder, and moves the file out of the sight of Tom': async (family) => {
    const page = await family.open('Leo', 'Kids')
    family.guest('Leo').did(family.called('attic'), family.called('painting.txt'))
    await chooseNew(page, words.newFolder)
    await page.getByRole('dialog').getByRole('textbox').fill(family.called('attic'))
    await page.getByRole('button', { name: words.create }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await family.open('Leo', 'Kids/School')
    await move(page, family.called('painting.txt'), [family.called('Kids'), family.called('attic')])
  },
  'Tom moves a file to where everyone sees it': async (family) => {
    const page = await family.upload('Tom', 'Kids/School', 'poem.txt')
    await move(page, family.called('poem.txt'), [words.yours, family.called('Family')])
  },
  'Tom deletes a file': async (family) => {
    const page = await family.upload('Tom', 'Kids/School', 'note.txt')
    await choose(page, family.called('note.txt'), words.delete)
    await page.getByText(texts.trash.moved(`“${family.called('note.txt')}”`)).waitFor()
  },
  'Leo, who may not delete, restores it': async (family) => {
    const [leo, note] = [family.guest('Leo'), family.called('note.txt')]
    leo.did(note)
    await leo.go('/trash')
    await leo.page.getByRole('button', { name: texts.trash.restoreOf(note) }).click()
    await leo.page.getByText(texts.trash.restored(`“${note}”`)).waitFor()
  },
  'Maria shares a file': async (family) => {
    const page = await family.open('Maria', 'Holidays')
    family.guest('Maria').did(await family.idOf(family.at('Holidays/beach.txt')))
    await choose(page, family.called('beach.txt'), words.share)
    await page.getByRole('button', { name: shareTexts.create }).click()
    family.link = await page.getByLabel(shareTexts.link).inputValue()
    await page.keyboard.press('Escape')
    await family.expectShare(200)
  },
  'Maria is moved to another folder while she looks, and her share is paused': async (family) => {
    await family.open('Maria', 'Holidays')
    await family.office.moveUser('Maria', family.called('Holidays'), family.called('Kids'))
    family.guest('Maria').person.grants.clear()
    await family.grant('Maria', 'Kids', EDIT)
    await family.expectShare(404)
  },
  'the folder of Tom moves to another place, with its people': async (family) => {
    await family.open('Tom', 'Kids/School')
    await family.office.openFolder(family.at('Kids'))
    await move(family.office.page, family.called('School'), [words.root, family.called('Taxes')])
  },
  'Leo loses a right while he uploads': async (family) => {
    const page = await family.open('Leo', 'Kids')
    family.guest('Leo').did(family.called('film.bin'))
    const held = await hold(page, '**/api/uploads/*', 1)
    await pick(page, family.write('film.bin', Buffer.alloc(FILM_BYTES)))
    await becomes(() => held.count > 0)
    await family.office.setLevel(family.called('Kids'), 'Leo', 'view')
    await family.grant('Leo', 'Kids', VIEW)
    held.release()
    await page.getByText(texts.uploads.someFailed('1 file')).waitFor()
  },
  'the shared folder goes to the trash': async (family) => {
    await family.office.openFolder('')
    await choose(family.office.page, family.called('Family'), words.delete)
    await family.office.page.getByText(texts.trash.moved(`“${family.called('Family')}”`)).waitFor()
  },
  'the shared folder comes back': async (family) => {
    await family.office.page.getByRole('button', { name: texts.trash.undo }).click()
    await family.office.page.getByText(texts.trash.restored(`“${family.called('Family')}”`)).waitFor()
  },
  'Tom is removed while he looks': async (family) => {
    const { page } = family.guest('Tom')
    family.guests.delete('Tom')
    await family.office.deleteUser('Tom')
    await page.getByRole('heading', { name: texts.signIn.title }).waitFor()
    if (/zq\d+qz/.test(await page.content())) throw new Error('Names stay on the page')
  },
}

/** Plays the history of a family, and compares the pages of all its members after each step. */
export async function playFamily(tally: Tally): Promise<void> {
  await using stage = await openStage()
  const admin = await registerAdmin(stage.holdfast)
  const { page } = await visit(stage, '/files', { cookie: admin.cookie })
  page.setDefaultTimeout(PATIENCE_MS)
  const family = new Family(page, stage, admin, tally)
  try {
    for (const path of ['Holidays', 'Holidays/2025', 'Kids', 'Kids/School', 'Family', 'Taxes']) {
      await admin.api.createFolder(family.at(path))
      await admin.api.upload(family.named('about', '.txt'), 'text', family.at(path), 'private')
    }
    for (const [what, play] of Object.entries(STEPS)) await family.step(what, () => play(family))
  } finally {
    rmSync(family.local, { recursive: true })
    await leaveAll()
  }
}

/** Drops a file onto the window. */
async function drop(page: Page, path: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x: 700, y: 500, data })
}

/** Moves an item by the dialog: to a folder of the trail, then into folders below it. */
async function move(page: Page, name: string, [from = '', ...below]: string[]): Promise<void> {
  await choose(page, name, words.move)
  await page.locator('.move-trail').getByRole('button', { name: from }).click()
  for (const folder of below)
    await page.locator('.move-list').getByRole('button', { name: folder, exact: true }).click()
  await page.getByRole('button', { name: dialogTexts.moveTo(below.at(-1) ?? from), exact: true }).click()
  await item(page, name).waitFor({ state: 'detached' })
}
