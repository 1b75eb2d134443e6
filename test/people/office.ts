import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { invitationTexts } from '../../src/dashboard/texts/invitations.ts'
import { rightsTexts } from '../../src/dashboard/texts/rights.ts'
import { roleTexts } from '../../src/dashboard/texts/scopes.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { choose } from '../browser/site.ts'
import { ADMIN } from '../support/holdfast.ts'
import { atBase } from './guest.ts'

type Level = keyof typeof rightsTexts.levels

/** Pages of an admin. Folders are chosen from those at the root. */
export class Office {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  get #dialog() {
    return this.page.getByRole('dialog')
  }

  openFolder = (key: string) => this.page.goto(atBase(`/files${key && `?folder=${encodeURIComponent(key)}`}`))

  async #openPeople(folder: string): Promise<void> {
    await this.openFolder('')
    await choose(this.page, folder, browseTexts.people)
  }

  async #chooseLevel(of: string, level: Level): Promise<void> {
    const field = this.#dialog.getByLabel(rightsTexts.levelOf(of), { exact: true })
    await field.selectOption(rightsTexts.levels[level])
  }

  /** Lets an account, or everyone, into a folder by its people. */
  async letIn(folder: string, who: string, level: Level): Promise<void> {
    await this.#openPeople(folder)
    await this.#dialog.getByLabel(rightsTexts.account).selectOption(who)
    await this.#chooseLevel(who, level)
    await this.#dialog.getByRole('button', { name: rightsTexts.letIn, exact: true }).click()
    await this.#dialog.getByRole('button', { name: rightsTexts.letOut(who) }).waitFor()
    await this.page.keyboard.press('Escape')
  }

  /** Changes the level of an account in a folder. */
  async setLevel(folder: string, who: string, level: Level): Promise<void> {
    await this.#openPeople(folder)
    const isChanged = this.page.waitForResponse((response) => response.request().method() === 'PUT')
    await this.#chooseLevel(who, level)
    await isChanged
    await this.page.keyboard.press('Escape')
  }

  /** Returns the link of an invitation that the people of a folder make, with all rights there. */
  async inviteTo(folder: string): Promise<string> {
    await this.#openPeople(folder)
    await this.#dialog.getByRole('button', { name: rightsTexts.invite }).click()
    await this.#chooseLevel(folder, 'edit')
    await this.#dialog.getByRole('checkbox', { name: rightsTexts.shareOf(folder) }).check()
    return this.#makeLink()
  }

  /** Returns the link of an invitation that the page of users makes, to the folder at a key. */
  async invite(key: string): Promise<string> {
    await this.page.goto(atBase('/users'))
    await this.page.getByRole('button', { name: invitationTexts.invite }).click()
    await this.#dialog.getByRole('radio', { name: userTexts.reaches.some.label }).check()
    await this.#addFolder(key)
    return this.#makeLink()
  }

  async #makeLink(): Promise<string> {
    await this.#dialog.getByRole('radio', { name: roleTexts.editor.label }).check()
    await this.#dialog.getByRole('button', { name: invitationTexts.create }).click()
    const link = await this.page.getByLabel(invitationTexts.link).inputValue()
    await this.page.getByRole('button', { name: texts.actions.done }).click()
    return link
  }

  async #addFolder(key: string): Promise<void> {
    await this.#dialog.getByRole('button', { name: userTexts.addFolder }).click()
    for (const name of key.split('/'))
      await this.page.locator('.move-list').getByRole('button', { name, exact: true }).click()
    await this.#dialog.getByRole('button', { name: userTexts.addThisFolder }).click()
  }

  /** Adds an account that is limited to a folder of its own, or to none. */
  async addUser(name: string, email: string, hasHome: boolean): Promise<void> {
    await this.page.goto(atBase('/users'))
    await this.page.getByRole('button', { name: userTexts.add }).click()
    const fields = { [texts.account.name]: name, [texts.account.email]: email }
    for (const [label, value] of Object.entries({ ...fields, [userTexts.password]: ADMIN.password }))
      await this.#dialog.getByRole('textbox', { name: label }).fill(value)
    await this.#dialog.getByRole('radio', { name: roleTexts.editor.label }).check()
    await this.#dialog.getByRole('radio', { name: userTexts.reaches.some.label }).check()
    await this.#dialog.getByRole('checkbox', { name: userTexts.makeHome }).setChecked(hasHome)
    await this.#dialog.getByRole('button', { name: userTexts.add, exact: true }).click()
    await this.page.getByRole('button', { name: texts.actions.done }).click()
  }

  /** Moves an account from one folder to another. */
  async moveUser(name: string, from: string, to: string): Promise<void> {
    await this.page.goto(atBase('/users'))
    await choose(this.page, name, userTexts.changeFolders)
    await this.#dialog.getByRole('button', { name: userTexts.removeFolder(from) }).click()
    await this.#addFolder(to)
    await this.#dialog.getByRole('button', { name: userTexts.save }).click()
    await this.page.getByText(userTexts.foldersChanged(name)).waitFor()
  }

  async deleteUser(name: string): Promise<void> {
    await this.page.goto(atBase('/users'))
    await choose(this.page, name, userTexts.delete)
    await this.#dialog.getByRole('button', { name: userTexts.delete, exact: true }).click()
    await this.page.getByText(userTexts.deleted(name)).waitFor()
  }
}
