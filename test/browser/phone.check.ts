import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { fillSite, isPage, openScene, resize, SCENES } from './phone.ts'
import { openSite } from './site.ts'
import { findingsInThemes, PHONE } from './visitor.ts'

/** Every page, dialog, menu and preview: one visit looks at it with all probes, in windows of all sizes. */

const site = openSite()
beforeAll(() => fillSite(site))

/**
 * Script that measures by hit tests: what a finger meets counts, not the box of the element. It reports targets
 * that are covered, and those of less than 44 pixels. A link in a sentence may be smaller (WCAG 2.5.8).
 */
const SMALL_TARGETS = `(() => {
  const LEAST = 44
  const layers = [...document.querySelectorAll('.menu, [role=dialog], .shell')]
  const layer = layers.find((it) => it.matches('.menu')) ?? layers.filter((it) => it.matches('[role=dialog]')).at(-1) ?? document
  const areaOf = (target) => target.matches('.item-name') ? target.closest('[data-index]') : target
  const owns = (target, x, y) => {
    const hit = document.elementFromPoint(x, y)
    const area = areaOf(target)
    if (!hit || !area) return false
    return area.contains(hit) || hit.closest('label')?.control === target
  }
  const reach = (target, x, y, dx, dy) => {
    let steps = 0
    while (steps < LEAST && owns(target, x + dx * (steps + 1), y + dy * (steps + 1))) steps += 1
    return steps
  }
  const isInText = (target) => target.matches('a') && getComputedStyle(target).display === 'inline'
    && [...target.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
  const problems = []
  const all = layer.querySelectorAll('a[href], button, input:not([type=range]), select, textarea, summary, [role=button], [role^=menuitem], [role=option]')
  // A heading that sticks to a scrolled list would count as in view.
  for (const list of document.querySelectorAll('.collection')) list.scrollTop = 0
  for (const target of all) {
    if (target.disabled || !target.checkVisibility({ visibilityProperty: true }) || target.matches('.skip-link, .menu-anchor')) continue
    if (target.getBoundingClientRect().width <= 1 || target.closest('[inert]') || isInText(target)) continue
    target.scrollIntoView({ block: 'center', inline: 'center' })
    const { left, top, width, height } = target.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    const name = (target.ariaLabel ?? target.innerText ?? '').slice(0, 40) + ' <' + target.className + '>'
    if (!owns(target, x, y)) {
      problems.push('covered: ' + name)
      continue
    }
    const across = reach(target, x, y, -1, 0) + reach(target, x, y, 1, 0) + 1
    const down = reach(target, x, y, 0, -1) + reach(target, x, y, 0, 1) + 1
    if (across < LEAST - 1 || down < LEAST - 1) problems.push(across + ' x ' + down + ': ' + name)
  }
  return problems
})()`

/** Script that returns elements that are wider than the window, and those that scroll sideways but should not. */
const WIDE = `[document.documentElement, ...document.querySelectorAll('#content, [role=dialog], .menu')]
  .filter((it) => it.scrollWidth > it.clientWidth + 1)
  .map((it) => it.tagName + '.' + it.className + ' ' + (it.scrollWidth - it.clientWidth))`

/** Script that returns the fields into which Safari on iOS would zoom. */
const SMALL_FIELDS = `[...document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=file], [type=range]), select, textarea')]
  .filter((it) => it.checkVisibility() && parseFloat(getComputedStyle(it).fontSize) < 16)
  .map((it) => it.ariaLabel ?? it.name)`

const ask = (page: Page, script: string) => page.evaluate<string[]>(script)

/** Script that returns the elements that move or fade for longer than a moment. */
const MOVEMENTS = `document.getAnimations()
  .map(({ effect }) => ({ target: effect.target, ends: effect.getComputedTiming().endTime }))
  .filter(({ ends }) => ends > 400)
  .map(({ target, ends }) => target.className + ' ' + ends)`

/** Script that returns chosen elements that look like the others in the colours of the system. */
const UNMARKED = `(() => {
  const CHOSEN = '[aria-pressed=true], [aria-current=page], [data-highlighted], .file-row.is-selected, .palette [aria-selected=true]'
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.cssText = 'forced-color-adjust: none; background: Highlight'
  const highlight = getComputedStyle(probe).backgroundColor
  probe.remove()
  return [...document.querySelectorAll(CHOSEN)]
    .filter((it) => it.checkVisibility() && getComputedStyle(it).backgroundColor !== highlight)
    .map((it) => it.outerHTML.slice(0, 120))
})()`

/** Script that returns coloured buttons whose words the system would draw on a ground of its own. */
const BACKED = `[...document.querySelectorAll('.button-primary, .button-danger')]
  .filter((it) => getComputedStyle(it).forcedColorAdjust !== 'none')
  .map((it) => it.outerHTML.slice(0, 120))`

/** Script that returns layers without a border: shadows and grounds are gone. */
const UNBOUND = `[...document.querySelectorAll('.dialog, .menu, .drawer')]
  .filter((it) => parseFloat(getComputedStyle(it).borderTopWidth) === 0)
  .map((it) => it.className)`

/** Script that returns by how much the page itself scrolls, outside of its frame. */
const SCROLLING = `[document.documentElement.scrollHeight - innerHeight].filter((it) => it !== 0).map(String)`

const NARROW = { width: 360, height: 740 }
const LOW = { width: 1440, height: 600 }
const DESK = { width: 1440, height: 900 }
/** Window of 1280 pixels at 400 percent. */
const ZOOMED = { width: 320, height: 256 }

test.each(Object.keys(SCENES))('%s', async (name) => {
  const { page, complaints } = await openScene(site, name)
  const found: Record<string, string[]> = {}
  const probe = async (label: string, script: string) => {
    found[label] = await ask(page, script)
  }
  found['axe'] = await findingsInThemes(page)
  await probe('wider than a phone', WIDE)
  await probe('zoomed into by Safari', SMALL_FIELDS)
  await probe('too small for a finger', SMALL_TARGETS)
  if (isPage(name)) await probe('scrolls on a phone', SCROLLING)

  await resize(page, name, NARROW)
  await probe('wider than a narrow phone', WIDE)

  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  await resize(page, name, ZOOMED)
  await probe('wider than the window at 400 percent', WIDE)
  await probe('moves', MOVEMENTS)
  await probe('not marked in the colours of the system', UNMARKED)
  await probe('without the ground of the system', BACKED)
  await probe('without a border', UNBOUND)
  found['covered'] = (await ask(page, SMALL_TARGETS)).filter((problem) => problem.startsWith('covered'))

  if (isPage(name)) {
    await page.setViewportSize(LOW)
    await probe('scrolls on a low desk', SCROLLING)
  }
  if (!SCENES[name]?.isForPhone) {
    await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' })
    await resize(page, name, DESK)
    found['axe on a desk'] = await findingsInThemes(page)
  }
  found['complaints'] = complaints
  expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([])
})

test('the search fills the screen, and a tap closes it', async () => {
  const { page } = await openScene(site, 'search')
  const palette = page.getByRole('dialog')

  expect(await palette.boundingBox()).toEqual({ x: 0, y: 0, ...PHONE })
  await palette.getByRole('button', { name: texts.actions.close }).tap()

  await palette.waitFor({ state: 'detached' })
})

test.each([
  ['new folder', '.dialog'],
  ['share', '.dialog'],
  ['menu of a file', '.menu'],
])('%s: lies at the lower edge, within the window', async (name, sheet) => {
  const { page } = await openScene(site, name)

  const box = await page.locator(sheet).boundingBox()

  expect({ x: box?.x, width: box?.width }).toEqual({ x: 0, width: PHONE.width })
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(PHONE.height)
  expect(box?.y).toBeGreaterThan(0)
})

test('a tap beside a menu closes it, and opens nothing', async () => {
  const { page } = await openScene(site, 'menu of a file')
  const button = page.getByRole('button', { name: texts.files.new, exact: true })
  const place = await button.boundingBox()

  await page.touchscreen.tap((place?.x ?? 0) + 20, (place?.y ?? 0) + 20)

  await page.locator('.menu').waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test.each(['touch', 'pen', 'mouse'])(
  'a %s opens a menu as it leaves, so that the same tap chooses nothing',
  async (pointerType) => {
    const { page } = await openScene(site, 'shares')
    const button = page.getByRole('button', { name: /^Actions for/ }).first()

    await button.dispatchEvent('pointerdown', { pointerType, button: 0 })
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await page.locator('.menu').count()).toBe(0)
    await button.dispatchEvent('click')

    await page.locator('.menu').waitFor()
  },
)
