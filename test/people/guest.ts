import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { type Look, openPage, type Stage, type Visitor } from '../browser/visitor.ts'
import { BASE_URL } from '../support/holdfast.ts'
import { folderOf, type Item, type Names, type Person, type View, wordOf } from './model.ts'

/** Limit of a wait for what a page shows, in milliseconds. */
export const PATIENCE_MS = 60_000
/** Maximum files that the search lists without a text. */
const NEWEST = 50

/** Response of the server to a page, or a part of its stream of changes. */
interface Heard {
  from: string
  text: string
}

const STREAM = 'stream'
/** Lists of what the account did itself. */
const OWN = /\/api\/(activity|shares)/

/** Script that passes on what the stream of changes says. */
const LISTEN = `{
  const real = fetch
  window.fetch = async (...request) => {
    const response = await real(...request)
    if (new URL(response.url).pathname !== '/api/changes' || !response.body) return response
    const [own, copy] = response.body.tee()
    void (async () => {
      const decoder = new TextDecoder()
      for await (const part of copy) await heardStream(decoder.decode(part, { stream: true }))
    })().catch(() => {})
    return new Response(own, response)
  }
}`

/** Page of a limited account, which is compared with the model. */
export class Guest {
  readonly person: Person
  readonly page: Page
  readonly visitor: Visitor
  readonly violations: string[] = []
  #heard: Heard[] = []
  #refused: string[] = []
  #pending: Promise<unknown>[] = []
  /** Words of what it saw since the last comparison. */
  #seen = new Set<string>()

  private constructor(person: Person, visitor: Visitor) {
    this.person = person
    this.visitor = visitor
    this.page = visitor.page
  }

  /** Opens an empty page for an account. */
  static async open(stage: Stage, person: Person, look: Look = {}): Promise<Guest> {
    const visitor = await openPage(stage, { viewport: { width: 1440, height: 2000 }, isAlone: true, ...look })
    const guest = new Guest(person, visitor)
    guest.page.setDefaultTimeout(PATIENCE_MS)
    await guest.#listen()
    return guest
  }

  async #listen(): Promise<void> {
    const { page } = this
    await page.exposeFunction('heardStream', (text: string) => this.#heard.push({ from: STREAM, text }))
    await page.addInitScript(LISTEN)
    page.on('response', (response) => {
      const { pathname, search } = new URL(response.url())
      if (!pathname.startsWith('/api/') || pathname === '/api/changes') return
      const from = `${response.request().method()} ${pathname}${search}`
      if (response.status() >= 400) this.#refused.push(`${response.status()} ${from}`)
      this.#pending.push(
        response.text().then(
          (text) => this.#heard.push({ from, text }),
          () => {},
        ),
      )
    })
  }

  /** Notes names and ids as the account's own deeds. */
  did(...names: string[]): void {
    for (const name of names) this.person.deeds.add(wordOf(name) ?? name)
  }

  /** Opens a page of the dashboard, without loading it again. */
  async go(path: string): Promise<void> {
    await this.page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})
      dispatchEvent(new PopStateEvent('popstate', { state: {} }))`)
  }

  openFolder = (key: string) => this.go(`/files${key && `?folder=${encodeURIComponent(key)}`}`)

  /** Notes what the account sees between two changes. */
  saw(view: View, names: Names): void {
    for (const word of names.around(view).inside) this.#seen.add(word)
  }

  /** Compares all pages with the model. @returns what differs */
  async check(view: View, names: Names): Promise<string[]> {
    const { inside, outside } = names.around(view)
    // What left the account's sight in the last step may still have been on its way, and the stream says that it left.
    const never = new Set(
      [...outside].filter((word) => !this.#seen.has(word) && !this.person.deeds.has(word)),
    )
    this.#seen = inside
    await this.#judge(never, never)
    this.#refused = []
    await this.#compareFolders(view)
    await this.#compareTrash(view)
    await this.#compareSearch(view, outside)
    await this.#lookAround(outside)
    await this.#judge(outside, never)
    this.violations.push(...this.#refused.map((refusal) => `refused while looking: ${refusal}`))
    this.#refused = []
    return this.violations.splice(0).map((violation) => `${this.person.name}: ${violation}`)
  }

  /** Looks for words of what is outside in all that the server said. */
  async #judge(outside: ReadonlySet<string>, ofStream: ReadonlySet<string>): Promise<void> {
    await Promise.all(this.#pending.splice(0))
    for (const { from, text } of this.#heard.splice(0))
      for (const word of from === STREAM ? ofStream : outside)
        if (text.includes(word) && !(OWN.test(from) && this.person.deeds.has(word)))
          this.violations.push(`${word} in the response to ${from}: ${around(text, word)}`)
  }

  async #judgePage(outside: ReadonlySet<string>, where: string): Promise<void> {
    const html = await this.page.content()
    for (const word of outside)
      if (html.includes(word) && !this.person.deeds.has(word))
        this.violations.push(`${word} on ${where}: ${around(html, word)}`)
  }

  /** Waits until the page shows what the model says. */
  async #agrees(what: string, script: string, expected: unknown): Promise<void> {
    const wanted = JSON.stringify(expected)
    let shown: unknown
    const hasCome = async () => {
      shown = await this.page.evaluate(`JSON.stringify(${script})`)
      return shown === wanted
    }
    const until = performance.now() + PATIENCE_MS
    while (!(await hasCome()))
      if (performance.now() > until) {
        this.violations.push(`${what}: shows ${shown}, the model says ${wanted}`)
        return
      }
  }

  async #compareFolders(view: View): Promise<void> {
    const { entries } = view
    // The page that was left open shows the changes by itself.
    await this.#compareFolder(await this.#openKey(view), view)
    for (const key of [...(entries.length === 1 ? [] : ['']), ...view.folders]) {
      await this.openFolder(key)
      await this.#compareFolder(key, view)
    }
  }

  /** Returns the object key of the folder that is open; the top where another page is. */
  async #openKey({ entries, seen }: View): Promise<string> {
    const { pathname, searchParams } = new URL(this.page.url())
    const key = searchParams.get('folder') ?? ''
    const isSeen = [...seen.values()].some((item) => item.key === key)
    if (pathname !== '/files' || !isSeen) await this.openFolder('')
    return isSeen && pathname === '/files' ? key : entries.length === 1 ? (entries[0]?.key ?? '') : ''
  }

  async #compareFolder(key: string, view: View): Promise<void> {
    const where = `folder "${key}"`
    const items = view.inside(key)
    const mayWrite = key !== '' && view.may('write', key)
    await this.#agrees(
      where,
      `({
        title: document.querySelector('h1')?.textContent,
        names: [...document.querySelectorAll('[data-index] .item-name')].map((name) => name.ariaLabel).sort(),
        mayAdd: document.querySelector('.page-actions .upload-buttons') !== null,
      })`,
      {
        title: key === '' ? texts.files.yours : key.split('/').at(-1),
        names: items.map(({ name }) => name).sort(),
        mayAdd: mayWrite,
      },
    )
    for (const kind of ['file', 'folder']) {
      const item = items.find((one) => one.kind === kind)
      if (item) await this.#compareMenu(item, view)
    }
  }

  async #compareMenu(item: Item, view: View): Promise<void> {
    const { page } = this
    const button = page.getByRole('button', { name: texts.files.actionsOf(item.name), exact: true })
    try {
      await button.click()
      await page.getByRole('menu').waitFor()
    } catch {
      this.violations.push(`no menu of ${item.key}`)
      return
    }
    const shown = (await page.evaluate(`[...document.querySelectorAll('[role=menuitem]')]
      .filter(({ ariaDisabled }) => ariaDisabled !== 'true')
      .map((entry) => [...entry.childNodes].find(({ nodeType }) => nodeType === 3).textContent)`)) as string[]
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    const expected = actionsOn(item, view)
    const sorted = (labels: string[]) => labels.toSorted().join()
    if (sorted(shown) !== sorted(expected))
      this.violations.push(
        `menu of ${item.key}: offers ${shown.join(', ')}; the model says ${expected.join(', ')}`,
      )
  }

  async #compareTrash(view: View): Promise<void> {
    await this.go('/trash')
    // The page is not there for a role that only reads.
    const rows = (view.isViewer ? [] : view.trash).map(({ name, key }) => [
      name,
      view.may('write', folderOf(key)),
      view.may('delete', folderOf(key)),
    ])
    await this.#agrees(
      'trash',
      `[...document.querySelectorAll('.trash tbody tr')].map((row) => [
        row.querySelector('.row-name strong').textContent,
        [...row.querySelectorAll('button')].some(({ ariaLabel }) => ariaLabel?.startsWith('${texts.trash.restore} ')),
        [...row.querySelectorAll('button')].some(({ ariaLabel }) => ariaLabel?.startsWith('${texts.trash.deleteForGood.slice(0, 6)}')),
      ]).sort((a, b) => a[0] < b[0] ? -1 : 1)`,
      rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    )
  }

  async #compareSearch(view: View, outside: ReadonlySet<string>): Promise<void> {
    const { page } = this
    const found = [...view.seen.values()]
    await page.keyboard.press('ControlOrMeta+k')
    await page.locator('.palette input').waitFor()
    const shown = `[...document.querySelectorAll('.palette-result .palette-name')].map((name) => name.textContent).sort()`
    if (found.length <= NEWEST) await this.#agrees('search', shown, found.map(({ name }) => name).sort())
    const [word = ''] = outside
    const answered = page.waitForResponse((response) => response.url().includes(word))
    await page.locator('.palette input').fill(word)
    await answered
    await page.locator('.palette input').fill('')
    await page.keyboard.press('Escape')
    await page.locator('.palette').waitFor({ state: 'detached' })
  }

  /** Looks for names of what is outside on the pages without a list of their own in the model. */
  async #lookAround(outside: ReadonlySet<string>): Promise<void> {
    for (const path of ['/overview', '/activity', '/shares', '/trash', '/files']) {
      await this.go(path)
      await this.page.locator('h1').first().waitFor()
      await this.visitor.settled()
      await this.#judgePage(outside, path)
    }
  }
}

/** Returns the labels of the actions that the model allows. */
function actionsOn(item: Item, view: View): string[] {
  const words = texts.files
  const above = folderOf(item.key)
  const [isFile, isEntry] = [item.kind === 'file', view.entries.some(({ id }) => id === item.id)]
  const may = (right: 'write' | 'delete' | 'share') => !isEntry && view.may(right, above)
  const inside = isFile ? above : item.key
  const mayShare = view.may('share', inside)
  const ways: [boolean, ...string[]][] = [
    [true, words.preview, words.download],
    [isFile, words.details, words.copyLink],
    [mayShare, words.share],
    [!isFile && mayShare && view.may('write', inside), words.requestFiles],
    [!isFile && !view.isViewer, browseTexts.keyForFolder],
    [may('write'), words.rename, words.move, browseTexts.cut],
    [view.folders.some((key) => view.may('write', key)), browseTexts.copy],
    [may('write') && isFile, words.replace],
    [view.may('write', inside) && mayShare && item.visibility !== 'public', words.makePublic],
    [view.may('write', inside) && item.visibility !== 'private', words.makePrivate],
    [may('delete'), words.delete, words.deleteForGood],
  ]
  return ways.flatMap(([isAllowed, ...labels]) => (isAllowed ? labels : []))
}

const around = (text: string, word: string) => {
  const at = text.indexOf(word)
  return text.slice(Math.max(0, at - 80), at + word.length + 40).replaceAll(/\s+/g, ' ')
}

export const atBase = (path: string) => new URL(path, BASE_URL).href
