import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { searchTexts } from '../../src/dashboard/texts/search.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { choose, item, openSite } from './site.ts'
import { holdAll, seriousFindings } from './visitor.ts'

/** Order, search and place of a list, in the address and in the history. */

const site = openSite()
beforeAll(async () => {
  await put('shots', 'shot 10.png', 'Shot 2.png', 'shot 1.txt')
  await put('long', ...Array.from({ length: 90 }, (_, n) => `${n}.txt`))
  await put('long/deep', 'a.txt')
})

const { put } = site

const open = site.openFolder

const shown = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.item-name')].map((name) => name.textContent)`)

const shows = (page: Page, names: string[]) =>
  eventually(async () => JSON.stringify(await shown(page)) === JSON.stringify(names))

test('names go by their numbers, and another order reads nothing again', async () => {
  const { page } = await open('shots')
  await shows(page, ['shot 1.txt', 'Shot 2.png', 'shot 10.png'])
  const reads: string[] = []
  page.on('request', (request) => request.url().includes('/api/folders') && reads.push(request.url()))

  await page.getByRole('button', { name: texts.files.columns.name, exact: true }).click()
  await shows(page, ['shot 10.png', 'Shot 2.png', 'shot 1.txt'])
  await page.getByRole('button', { name: texts.files.columns.size, exact: true }).click()
  await shows(page, ['shot 10.png', 'shot 1.txt', 'Shot 2.png'])

  expect(reads).toEqual([])
  expect(page.url()).toContain('order=size-DESC')
})

test('a renamed item moves to its place with the focus', async () => {
  await put('places', 'a.txt', 'b.txt', 'c.txt')
  const { page } = await open('places')

  await page.getByRole('row', { name: /a\.txt/ }).press('F2')
  await page.getByLabel(texts.files.newName('a.txt')).fill('z.txt')
  await page.keyboard.press('Enter')

  await shows(page, ['b.txt', 'c.txt', 'z.txt'])
  await page.locator('[data-index="2"]:focus').waitFor()
})

test('search, type and order survive a reload and Back', async () => {
  const { page } = await open('shots')

  await page.getByRole('searchbox').fill('shot')
  await page.getByRole('combobox', { name: searchTexts.kind }).selectOption('image')
  await page.getByRole('button', { name: texts.files.columns.name, exact: true }).click()
  await shows(page, ['shot 10.png', 'Shot 2.png'])
  await eventually(() => page.url().includes('q=shot') && page.url().includes('kind=image'))
  await page.reload()
  await shows(page, ['shot 10.png', 'Shot 2.png'])
  await page.getByRole('link', { name: texts.pages.keys }).click()
  await page.getByRole('heading', { level: 1, name: texts.pages.keys }).waitFor()
  await page.goBack()

  await shows(page, ['shot 10.png', 'Shot 2.png'])
  expect(await page.getByRole('searchbox').inputValue()).toBe('shot')
})

test('a list is where it was after Back and after a reload', async () => {
  const { page } = await open('long')
  const position = () => page.evaluate("document.querySelector('.collection')?.scrollTop")
  await item(page, '0.txt').waitFor()
  await page.evaluate("document.querySelector('.collection').scrollTo(0, 1500)")
  await item(page, '40.txt').waitFor()
  await eventually(() => page.evaluate("Object.values(sessionStorage).includes('1500')"))

  await page.getByRole('link', { name: texts.pages.keys }).click()
  await page.getByRole('heading', { level: 1, name: texts.pages.keys }).waitFor()
  await page.goBack()
  await eventually(async () => (await position()) === 1500)
  await page.reload()

  await eventually(async () => (await position()) === 1500)
})

const results = (page: Page) => page.getByRole('listbox', { name: searchTexts.results }).getByRole('option')

test('Ctrl+K finds files in all folders as you type, and Enter opens the chosen one', async () => {
  await put('north/fjords', 'Geiranger fjord.txt', 'fjordland.txt')
  const { page, complaints } = await site.open('/keys')

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: searchTexts.placeholder }).waitFor()
  await page.keyboard.type('FJORD')
  await results(page).nth(2).getByText('fjord', { exact: true }).waitFor()
  expect(await results(page).count()).toBe(3)
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('combobox', { name: searchTexts.kind }).selectOption('folder')
  await eventually(async () => (await results(page).count()) === 1)
  await page.getByRole('combobox', { name: searchTexts.kind }).selectOption('document')
  await eventually(async () => (await results(page).count()) === 2)
  await page.getByRole('combobox', { name: searchTexts.placeholder }).press('ArrowDown')
  const chosen = page.locator('.palette-result[aria-selected=true]')
  expect(await chosen.textContent()).toContain('north/fjords')
  const name = (await chosen.locator('.palette-name').textContent()) ?? ''
  await page.keyboard.press('Enter')

  await page.locator('.viewer').getByText(name).first().waitFor()
  expect(new URL(page.url()).searchParams.get('folder')).toBe('north/fjords')
  expect(complaints).toEqual([])
})

test('Enter opens no result of the text before, and the search returns the focus', async () => {
  await put('quick', 'tern.txt', 'ternary.txt')
  const { page } = await site.open('/keys')
  const field = page.getByRole('combobox', { name: searchTexts.placeholder })
  await page.getByRole('button', { name: texts.frame.search }).click()
  await field.fill('tern')
  await eventually(async () => (await results(page).count()) === 2)
  const release = await holdAll(page, /\/api\/search/)

  await field.press('a')
  await field.press('Enter')
  expect(await field.inputValue()).toBe('terna')
  release()
  await eventually(async () => (await results(page).count()) === 1)
  await field.press('Escape')

  await page.locator('button.sidebar-link:focus', { hasText: texts.frame.search }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/keys')
})

test('a search below a folder finds what is behind a thousand better matches elsewhere', async () => {
  await put('quiet', 'the crowd.txt')
  await put('crowd', ...Array.from({ length: 1100 }, (_, n) => `crowd ${n}.txt`))
  const { page } = await open('quiet')

  await page.getByRole('searchbox').fill('crowd')
  await page.getByRole('button', { name: browseTexts.searchAll }).click()

  await eventually(async () => (await results(page).allInnerTexts()).join().includes('the crowd.txt'))
})

test('the search of a folder continues below it and everywhere', async () => {
  await put('top/inner', 'harbour.txt')
  await put('elsewhere', 'harbour too.txt')
  await put('top', 'other.txt')
  const { page } = await open('top')

  await page.getByRole('searchbox').fill('harbour')
  await page.getByRole('button', { name: browseTexts.searchAll }).click()
  await eventually(async () => (await results(page).count()) === 1)
  await page.getByRole('combobox', { name: searchTexts.place }).selectOption(searchTexts.everywhere)
  await eventually(async () => (await results(page).count()) === 2)
  await page.keyboard.press('Escape')

  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('the search finds what one account uploaded, and the details name it', async () => {
  const grace = await addUser(site.holdfast, { role: 'editor' })
  await put('both', 'both mine.txt')
  await grace.api.upload('both theirs.txt', 'x', 'both')
  const { page, complaints } = await open('both')

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: searchTexts.placeholder }).fill('both')
  await eventually(async () => (await results(page).count()) === 3)
  const uploader = page.getByRole('combobox', { name: searchTexts.uploader })
  await uploader.selectOption(searchTexts.me)
  await results(page).getByText('mine.txt').waitFor()
  await eventually(async () => (await results(page).count()) === 1)
  await uploader.selectOption(searchTexts.by('A editor'))
  await results(page).getByText('theirs.txt').waitFor()
  await page.keyboard.press('Escape')
  await choose(page, 'both theirs.txt', texts.files.details)
  await page.getByRole('definition').filter({ hasText: 'A editor' }).waitFor()
  await item(page, 'both mine.txt').click()

  await page.getByRole('definition').filter({ hasText: 'Ada (you)' }).waitFor()
  expect(complaints).toEqual([])
})

test('Ctrl+K runs commands on the selection and of all pages, below files whose names begin so', async () => {
  await put('ropes', 'copper.txt', 'rope.txt')
  const { page, complaints } = await open('ropes')
  const field = page.getByRole('combobox', { name: searchTexts.placeholder })
  const find = async (text: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await field.fill(text)
  }
  const { files, pages } = texts

  await item(page, 'rope.txt').click()
  await find('cop')
  await results(page).getByText('rope.txt', { exact: true }).first().waitFor()
  await eventually(async () => /copper\.txt/.test((await results(page).allInnerTexts())[0] ?? ''))
  expect((await results(page).allInnerTexts()).join()).toContain(files.copyLink)
  expect(await seriousFindings(page)).toEqual([])
  await field.fill(`> ${files.rename}`)
  await eventually(async () => (await results(page).count()) === 1)
  await field.press('Enter')
  await page.getByLabel(files.newName('rope.txt')).fill('line.txt')
  await page.keyboard.press('Enter')
  await item(page, 'line.txt').waitFor()

  await find(`>${files.newFolder}`)
  await field.press('Enter')
  await page.getByRole('dialog', { name: files.newFolder }).waitFor()
  await page.keyboard.press('Escape')
  await find(`>${texts.themes.dark}`)
  await field.press('Enter')
  await eventually(() => page.evaluate("document.documentElement.dataset.theme === 'dark'"))
  await find(`${searchTexts.goTo} ${pages.keys}`)
  await results(page).getByText(pages.keys).waitFor()
  await eventually(async () => (await results(page).count()) === 1)
  await field.press('Enter')
  await page.getByRole('heading', { level: 1, name: pages.keys }).waitFor()
  await find(`>${files.newFolder}`)
  await page.getByText(searchTexts.commands, { exact: true }).waitFor()

  expect(await results(page).count()).toBe(0)
  expect(complaints).toEqual([])
})

test('Recent lists the files of all folders, the newest first, and opens one where it is', async () => {
  await put('old/place', 'first.txt')
  await put('new', 'last.txt')
  const { page, complaints } = await site.open('/recent')
  const names = page.getByRole('rowheader')

  await names.nth(1).waitFor()
  expect((await names.allInnerTexts()).slice(0, 2)).toEqual(['last.txt', 'first.txt'])
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'old/place' }).waitFor()
  await page.getByRole('link', { name: 'first.txt' }).click()
  await page.locator('.viewer').getByText('first.txt').first().waitFor()

  expect(new URL(page.url()).searchParams.get('folder')).toBe('old/place')
  expect(complaints).toEqual([])
})

test('a star marks by menu, key and preview, and Favorites lists what has one, the latest first', async () => {
  await put('stars', 'a.txt', 'b.txt', 'c.txt')
  const { page, complaints } = await open('stars')
  const { favorites } = browseTexts
  const starOf = (name: RegExp) => page.getByRole('row', { name }).locator('.favorite-sign')
  const stars = page.getByRole('button', { name: favorites.one, pressed: true })
  const names = page.getByRole('rowheader')
  const lists = (expected: string[]) =>
    eventually(async () => JSON.stringify(await names.allInnerTexts()) === JSON.stringify(expected))

  await choose(page, 'a.txt', favorites.add)
  await starOf(/a\.txt/).waitFor()
  await page.getByRole('row', { name: /b\.txt/ }).press('*')
  await starOf(/b\.txt/).waitFor()
  await page.getByRole('row', { name: /c\.txt/ }).press('Enter')
  await page.locator('.viewer').press('*')
  await stars.waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: texts.pages.favorites, exact: true }).click()
  await lists(['c.txt', 'b.txt', 'a.txt'])
  expect(await seriousFindings(page)).toEqual([])

  await stars.nth(1).press('Enter')
  await lists(['c.txt', 'a.txt'])
  await page.locator('tr', { hasText: 'a.txt' }).locator('.favorite-button:focus').waitFor()
  await page.getByText(favorites.removed).waitFor()
  await page.getByRole('button', { name: texts.trash.undo }).last().click()
  await lists(['b.txt', 'c.txt', 'a.txt'])
  await page.reload()
  await lists(['b.txt', 'c.txt', 'a.txt'])

  const message = 'An account has at most 500 favorites: remove some first'
  await page.route('**/api/favorites', (route) =>
    route.request().method() === 'GET'
      ? route.continue()
      : route.fulfill({ json: { data: { removed: [], failed: [{ id: 'any', message }] }, error: null } }),
  )
  await stars.first().click()
  await page.getByText(texts.errors.manyFavorites('500')).waitFor()
  await lists(['b.txt', 'c.txt', 'a.txt'])
  expect(complaints).toEqual([])
})

test('the tree opens folders by keys, loads each level once, and keeps its width', async () => {
  await put('tree/inner/deep', 'leaf.txt')
  await put('tree/other', 'b.txt')
  for (let n = 0; n < 203; n += 1) await site.admin.api.createFolder(`tree/wide/${n}`)
  const { page, complaints } = await open('tree/inner')
  const row = (name: string) => page.getByRole('treeitem', { name, exact: true })

  await page.getByRole('button', { name: searchTexts.folders, exact: true }).click()
  await page.locator('.tree-row[aria-current]', { hasText: 'inner' }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await row('inner').focus()
  await page.keyboard.press('ArrowRight')
  await row('deep').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'deep' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await row('deep').waitFor({ state: 'detached' })
  await page.keyboard.press('o')
  await page.locator('.tree-row:focus', { hasText: 'other' }).waitFor()
  expect(await row('other').getAttribute('aria-level')).toBe('2')

  await page.keyboard.press('End')
  await page.keyboard.press('w')
  await page.locator('.tree-row:focus', { hasText: 'wide' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await row(searchTexts.moreFolders(3)).waitFor()
  expect(await page.locator('.tree-row[aria-level="3"]').count()).toBe(201)

  const edge = page.getByRole('separator', { name: searchTexts.sideWidth })
  await edge.press('ArrowRight')
  expect(await edge.getAttribute('aria-valuenow')).toBe('256')
  await page.reload()
  await edge.waitFor()
  expect(await edge.getAttribute('aria-valuenow')).toBe('256')
  expect(complaints).toEqual([])
})
