import { describe, expect, test } from 'bun:test'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { apiOf } from '../support/api.ts'
import { choose, openSite } from './site.ts'
import { findingsInThemes } from './visitor.ts'

/** Rights for folders: keys and accounts that reach only some, and the people of a folder. */

const site = openSite()
const { put } = site

describe('a key for one folder', () => {
  const foldersSeenBy = async (key: string) => {
    const { folders } = await apiOf(site.holdfast, { withKey: { 'API-Key': key } }).browse({ key: '' })
    return folders.map(({ key }) => key)
  }

  test('its folder is chosen step by step, and the list of keys leads there', async () => {
    await put('clients/acme/bills', 'bill.txt')
    const { page, complaints } = await site.open('/keys')

    await page.getByRole('button', { name: keyTexts.new }).click()
    await page.getByRole('textbox', { name: keyTexts.name }).fill('build server')
    await page.getByRole('radio', { name: keyTexts.reaches.one.label }).check()
    const make = page.getByRole('button', { name: keyTexts.create })
    expect(await make.isDisabled()).toBe(true)
    for (const name of ['clients', 'acme'])
      await page.locator('.move-list').getByRole('button', { name, exact: true }).click()
    await page.locator('.move-list').getByRole('button', { name: 'bills', exact: true }).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await make.click()
    const secret = await page.getByLabel(keyTexts.secret, { exact: true }).inputValue()
    await page.getByRole('button', { name: texts.actions.done }).click()
    expect(await foldersSeenBy(secret)).toEqual(['clients/acme'])
    await page
      .getByRole('row', { name: /build server/ })
      .getByRole('link', { name: 'clients/acme' })
      .click()

    await page.getByRole('heading', { name: 'acme', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  test('the menu of a folder makes one', async () => {
    await put('sites/blog', 'index.html')
    const { page, complaints } = await site.openFolder('sites')

    await choose(page, 'blog', browseTexts.keyForFolder)
    await page.getByRole('dialog').getByText('sites/blog', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: keyTexts.name }).fill('deploys')
    await page.getByRole('button', { name: keyTexts.create }).click()
    const secret = await page.getByLabel(keyTexts.secret, { exact: true }).inputValue()

    expect(await foldersSeenBy(secret)).toEqual(['sites/blog'])
    expect(complaints).toEqual([])
  })
})
