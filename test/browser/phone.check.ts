import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openPhoneStage, openScene, PHONE, type PhoneStage, SCENES } from './phone.ts'
import { seriousFindings } from './visitor.ts'

/** Use of every page, dialog, menu and preview with a finger on a narrow screen. */

let stage: PhoneStage
beforeAll(async () => {
  stage = await openPhoneStage()
}, 60_000)
afterAll(() => stage[Symbol.asyncDispose]())

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

test.each(Object.keys(SCENES))(
  '%s: fits a finger and a narrow screen, and axe finds nothing',
  async (name) => {
    await using visitor = await openScene(stage, name, { colorScheme: 'dark' })
    const { page, complaints } = visitor
    expect(await seriousFindings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await seriousFindings(page)).toEqual([])

    const atRest = await ask(page, WIDE)
    const found = [...atRest, ...(await ask(page, SMALL_FIELDS)), ...(await ask(page, SMALL_TARGETS))]

    await page.setViewportSize({ width: 360, height: 740 })
    found.push(...(await ask(page, WIDE)))

    expect([...found, ...complaints]).toEqual([])
  },
)

test('the search fills the screen, and a tap closes it', async () => {
  await using visitor = await openScene(stage, 'search')
  const { page } = visitor
  const palette = page.getByRole('dialog')

  expect(await palette.boundingBox()).toEqual({ x: 0, y: 0, ...PHONE })
  await palette.getByRole('button', { name: 'Close' }).tap()

  await palette.waitFor({ state: 'detached' })
})

test.each([
  ['new folder', '.dialog'],
  ['share', '.dialog'],
  ['menu of a file', '.menu'],
])('%s: lies at the lower edge, within the window', async (name, sheet) => {
  await using visitor = await openScene(stage, name)
  const { page } = visitor

  const box = await page.locator(sheet).boundingBox()

  expect({ x: box?.x, width: box?.width }).toEqual({ x: 0, width: PHONE.width })
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(PHONE.height)
  expect(box?.y).toBeGreaterThan(0)
})

test('a tap beside a menu closes it, and opens nothing', async () => {
  await using visitor = await openScene(stage, 'menu of a file')
  const { page } = visitor
  const button = page.getByRole('button', { name: 'New folder' })
  const place = await button.boundingBox()

  await page.touchscreen.tap((place?.x ?? 0) + 20, (place?.y ?? 0) + 20)

  await page.locator('.menu').waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a finger opens a menu as it leaves, so that the same tap chooses nothing', async () => {
  await using visitor = await openScene(stage, 'shares')
  const { page } = visitor
  const button = page.getByRole('button', { name: /^Actions for/ }).first()

  await button.dispatchEvent('pointerdown', { pointerType: 'touch', button: 0 })
  await page.evaluate('new Promise(requestAnimationFrame)')
  expect(await page.locator('.menu').count()).toBe(0)
  await button.dispatchEvent('click')

  await page.locator('.menu').waitFor()
})

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

const ZOOMED = { width: 320, height: 256 }

test.each(Object.keys(SCENES))(
  '%s: is whole at 400 percent zoom, still, and in the colours of the system',
  async (name) => {
    const settings = { forcedColors: 'active', reducedMotion: 'reduce' } as const
    await using visitor = await openScene(stage, name, { ...settings, viewport: ZOOMED })
    const { page, complaints } = visitor
    const found: string[] = []

    for (const script of [WIDE, MOVEMENTS, UNMARKED, BACKED, UNBOUND])
      found.push(...(await ask(page, script)))
    found.push(...(await ask(page, SMALL_TARGETS)).filter((problem) => problem.startsWith('covered')))

    expect([...found, ...complaints]).toEqual([])
  },
)
