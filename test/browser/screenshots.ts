import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { CHAPTERS, startTelling, type View } from './views.ts'
import { leaveAll, openStage, visit } from './visitor.ts'

/**
 * Takes the pictures in `docs/pictures` again, or with a folder those of every page in both themes and six widths, as
 * `<view>-<theme>-<width>.png`. Views choose some.
 * Usage: `bun run pictures [--width <pixels>]… [folder] [view…]`
 */

const HEIGHTS: Record<number, number> = { 390: 844, 768: 1024, 1024: 768, 1180: 820, 1440: 900, 2560: 1440 }
/** Maximum height of a picture that shows a page to its end. */
const MAX_HEIGHT = 4000
const THEMES = ['light', 'dark'] as const
/** Colours of a page, whose text then stays crisp in few bytes. */
const COLOURS = 256
/** Quality of pages with photos. */
const QUALITY = 70
/** Maximum pictures that are compared with the one before, and the pause between two, in milliseconds. */
const MAX_LOOKS = 4
const LOOK_MS = 150
/** Time limit of a step to a view, in milliseconds. */
const STEP_MS = 30_000

const fileOf = (view: string, theme: string, width: number | string) =>
  `${view}-${theme}-${width}.${wanted ? 'webp' : 'png'}`

const isPhone = (width: number) => width < 500

const sizeOf = (width: number) => ({ width, height: HEIGHTS[width] ?? width })

const { values, positionals } = parseArgs({
  options: { width: { type: 'string', multiple: true, default: Object.keys(HEIGHTS) } },
  allowPositionals: true,
})
const SHOWN = 'docs/pictures'
const [folder = SHOWN, ...asked] = positionals
mkdirSync(folder, { recursive: true })
/** Pictures to take; `undefined` for all. */
const wanted = positionals.length === 0 ? readdirSync(SHOWN) : undefined
const isWanted = (file: string): boolean => wanted === undefined || wanted.includes(file)

await using stage = await openStage({ environment: { SITES_DOMAIN: 'sites.localhost' } })
await using told = startTelling(stage.holdfast)
for (const { prepare, views } of CHAPTERS) {
  await prepare(told)
  for (const [name, view] of Object.entries(views))
    if (asked.length === 0 || asked.includes(name)) await takeAll(name, view)
}

async function takeAll(name: string, view: View): Promise<void> {
  const widths = values.width
    .filter((width) => THEMES.some((theme) => isWanted(fileOf(name, theme, width))))
    .map(Number)
  for (const some of [widths.filter(isPhone), widths.filter((width) => !isPhone(width))])
    try {
      await take(name, view, some)
    } catch (error) {
      console.error(`Cannot take ${name} at ${some}: ${error}`)
      process.exitCode = 1
    } finally {
      await leaveAll()
    }
}

/** Opens a view once, and takes its pictures in windows of some widths. */
async function take(name: string, view: View, widths: number[]): Promise<void> {
  const [first, ...others] = widths
  if (first === undefined) return
  const { path, ready, steps, shows, locale, isBusy = false, isGuest = false } = view
  const cookie = view.isLimited ? told.limited : told.cookie
  const visitor = await visit(stage, typeof path === 'string' ? path : path(told), {
    ...(!isGuest && cookie !== undefined && { cookie }),
    ...{ viewport: sizeOf(first), hasTouch: isPhone(first), isMobile: isPhone(first) },
    ...(locale !== undefined && { locale }),
    reducedMotion: 'reduce',
  })
  const { page } = visitor
  page.setDefaultTimeout(STEP_MS)
  await page.locator(ready).first().waitFor()
  await steps?.(page, told)
  if (shows) await page.locator(shows).first().waitFor()
  for (const width of [first, ...others]) {
    await page.setViewportSize(sizeOf(width))
    if (view.isPassing && width !== first) await steps?.(page, told)
    if (!isBusy) await visitor.settled()
    if (view.isWhole) await showWhole(page)
    for (const colorScheme of THEMES.filter((theme) => theme === 'dark' || !view.isDark)) {
      const file = fileOf(name, colorScheme, width)
      if (!isWanted(file)) continue
      await page.emulateMedia({ colorScheme })
      await page.waitForFunction(`matchMedia('(prefers-color-scheme: ${colorScheme})').matches`)
      const picture = new Uint8Array(await shoot(page))
      // Those that only a person looks at need not be small.
      await Bun.write(join(folder, file), wanted ? await compress(picture, view) : picture)
    }
  }
}

/** Returns a picture of a page that is drawn: parts of it take another theme some frames after the others. */
async function shoot(page: Page): Promise<Buffer> {
  let picture = await page.screenshot()
  for (let looks = 1; looks < MAX_LOOKS; looks += 1) {
    await Bun.sleep(LOOK_MS)
    const next = await page.screenshot()
    if (next.equals(picture)) break
    picture = next
  }
  return picture
}

/** Makes the window as high as the page, whose content scrolls inside the frame. */
async function showWhole(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const whole = Number(await page.evaluate("document.getElementById('content').scrollHeight"))
  const frame = width < 800 ? 60 : 0
  await page.setViewportSize({ width, height: Math.min(Math.max(height, whole + frame), MAX_HEIGHT) })
}

/** Returns a picture as WebP: without loss but with few colours, or for photos with many colours. */
async function compress(png: Uint8Array<ArrayBuffer>, { hasPhotos = false }: View): Promise<Uint8Array> {
  if (hasPhotos) return new Bun.Image(png).webp({ quality: QUALITY }).bytes()
  const reduced = await new Bun.Image(png).png({ palette: true, colors: COLOURS }).bytes()
  return new Bun.Image(reduced).webp({ lossless: true }).bytes()
}
