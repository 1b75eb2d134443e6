import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Palette, paintHills } from '../../src/commands/demo/picture.ts'
import { PALETTES } from '../../src/commands/demo/samples.ts'
import { makePhoto } from '../browser/exif.ts'
import { callApi } from './api.ts'
import { type Bench, type Part, prepareData } from './bench.ts'
import { type Limit, percentile, type Row, showMs } from './report.ts'
import { openTab, restOf, type Tab } from './tab.ts'

const FOLDER = 'library'
const PHOTOS = 5000
const ARRIVED = 'arrived'
const NEW_PHOTOS = 200
const BATCH = 100
/** Photos that are opened one after another, and the milliseconds of a look at each. */
const LOOKS = 50
const LOOK_MS = 250
/** One turn of the wheel. */
const WHEEL_PIXELS = 1200
const WHEEL_MS = 40

const SIZES = [
  [4000, 3000],
  [3000, 4000],
  [2048, 1365],
  [1600, 1600],
  [1024, 768],
] as const

/** Library of 5,000 JPEG photos in the dashboard: grid, thumbnails and preview. */
export const photos: Part = {
  measure: async (bench) => {
    await uploadPhotos(bench, FOLDER, PHOTOS)
    await using tab = await openTab(bench)
    return [
      ...(await openGrid(tab)),
      ...(await scroll(tab)),
      ...(await look(tab)),
      ...(await restOf(tab, 'photos')),
    ]
  },
}

/** Folder of 200 photos that were just uploaded, opened for the first time. */
export const arrival: Part = {
  measure: async (bench) => {
    // A server of its own, because another part's photos would have their thumbnails first.
    const dataPath = join(bench.folder, ARRIVED)
    const withKey = await prepareData(bench, dataPath)
    await using holdfast = await bench.spawn(dataPath)
    await using tab = await openTab({ holdfast })
    await uploadPhotos({ ...bench, holdfast, withKey }, ARRIVED, NEW_PHOTOS)
    const begin = performance.now()
    const thumbs = join(dataPath, 'thumbs')
    const isReady = () => {
      const names = existsSync(thumbs) ? readdirSync(thumbs) : []
      return names.filter((name) => name.endsWith('.webp')).length === 3 * NEW_PHOTOS
    }
    while (!isReady()) {
      bench.signal.throwIfAborted()
      await Bun.sleep(100)
    }
    const ready = performance.now() - begin
    await tab.page.addInitScript("localStorage.setItem('holdfast:layout', 'grid')")
    const folder = `document.querySelector('.tile')?.textContent.includes('${ARRIVED}')`
    await tab.open('/files', folder)
    const open = () => tab.page.locator('.tile').first().dblclick()
    const shown = await tab.timed(open, ALL_LOADED)
    const tiles = await tab.page.evaluate<number>(`${VISIBLE}.length`)
    return [
      {
        what: 'arrival: thumbnails of 200 photos after their upload',
        value: ready,
        isTime: true,
        show: showMs,
      },
      {
        ...{ what: `arrival: ${tiles} of ${tiles} tiles of the opened folder`, value: shown },
        ...{ limit: 1000, isTime: true, show: showMs },
      },
    ]
  },
}

/** Uploads photos of several sizes, each with facts of its own, so that no two share a thumbnail. */
async function uploadPhotos(bench: Bench, folder: string, count: number): Promise<void> {
  const pictures = await Promise.all(
    SIZES.flatMap((size) => Object.values(PALETTES).map((palette, seed) => makeJpeg(size, palette, seed))),
  )
  for (let first = 0; first < count; first += BATCH) {
    const form = new FormData()
    for (let number = first; number < first + BATCH; number += 1) {
      const photo = withFacts(pictures[number % pictures.length] ?? new Uint8Array(), number)
      form.append('files', photo, `IMG_${String(number).padStart(4, '0')}.jpg`)
    }
    form.append('folder', folder)
    await callApi(bench, 'POST', '/files', form)
  }
}

async function makeJpeg(
  [width, height]: readonly [number, number],
  palette: Palette,
  seed: number,
): Promise<Uint8Array> {
  const painted = paintHills({ width: width / 4, height: Math.round(height / 4) }, { seed, palette })
  return new Bun.Image(painted).resize(width, height, { fit: 'fill' }).jpeg({ quality: 85 }).bytes()
}

/** Inserts what a camera writes in front of a JPEG's first segment. */
function withFacts(jpeg: Uint8Array, number: number): Blob {
  const minute = new Date(Date.UTC(2026, 0, 1, 8, number)).toISOString()
  const taken = minute.slice(0, 19).replace('T', ' ').replaceAll('-', ':')
  const head = makePhoto(
    [
      [0x010f, 'Holdfast'],
      [0x0110, 'Bench'],
    ],
    [
      [0x9003, taken],
      [0x829a, [1, 250]],
      [0x829d, [28, 10]],
      [0x8827, { short: 100 }],
    ],
  )
  return new Blob([head.subarray(0, -2), new Uint8Array(jpeg.subarray(2))])
}

/** Tiles in view. */
const VISIBLE = `(() => {
  const { bottom } = document.querySelector('.collection')?.getBoundingClientRect() ?? { bottom: 0 }
  return [...document.querySelectorAll('.tile')].filter((tile) => {
    const box = tile.getBoundingClientRect()
    return box.bottom > 0 && box.top < bottom
  })
})()`
/** Condition: tiles are in view, and each shows its thumbnail. */
const ALL_LOADED = `((tiles) => tiles.length > 0 &&
  tiles.every((tile) => tile.querySelector('img:not([hidden])')))(${VISIBLE})`

async function openGrid(tab: Tab): Promise<Row[]> {
  await tab.page.addInitScript("localStorage.setItem('holdfast:layout', 'grid')")
  const list = await tab.open(`/files?folder=${FOLDER}`, "document.querySelector('.tile')")
  const thumbnails = await tab.page.evaluate<number>(`holds(() => ${ALL_LOADED}, false)`)
  return [
    { what: 'photos: first tiles', value: list, limit: 1000, isTime: true, show: showMs },
    { what: 'photos: new thumbnails of the first screen', value: thumbnails, isTime: true, show: showMs },
  ]
}

/** Scrolls from the first row to the last one. */
async function scroll({ page, framesDuring }: Tab): Promise<Row[]> {
  await page.mouse.move(800, 500)
  const isAtEnd = () =>
    page.evaluate<boolean>(`(() => {
      const { scrollTop, clientHeight, scrollHeight } = document.querySelector('.collection')
      return scrollTop + clientHeight >= scrollHeight - 1
    })()`)
  const frames = await framesDuring(async () => {
    while (!(await isAtEnd())) {
      await page.mouse.wheel(0, WHEEL_PIXELS)
      await Bun.sleep(WHEEL_MS)
    }
  })
  const begin = performance.now()
  await page.evaluate(`holds(() => ${ALL_LOADED}, false)`)
  const last = performance.now() - begin
  return [
    {
      what: 'photos: p95 of a frame while scrolling',
      value: percentile(frames, 0.95),
      isTime: true,
      show: showMs,
    },
    { what: 'photos: thumbnails at the end of the scroll', value: last, isTime: true, show: showMs },
  ]
}

/** Opens a photo and goes on to others. Each counts until a picture of it is drawn. */
async function look({ page, timed }: Tab): Promise<Limit[]> {
  await page.evaluate("document.querySelector('.collection').scrollTop = 0")
  const tile = page.locator('.tile[data-index="0"]')
  await tile.focus()
  const drawn = (name: string) => `(() => {
    const shown = [...document.querySelectorAll('.picture img:not([hidden])')]
    return document.querySelector('.viewer-title')?.textContent.startsWith('${name}')
      && shown.some((image) => image.complete && image.naturalWidth > 0)
  })()`
  const times: number[] = []
  const first = await timed(() => page.keyboard.press('Enter'), drawn('IMG_0000'))
  for (let number = 1; number <= LOOKS; number += 1) {
    await Bun.sleep(LOOK_MS)
    const name = `IMG_${String(number).padStart(4, '0')}`
    times.push(await timed(() => page.keyboard.press('ArrowRight'), drawn(name)))
  }
  await page.keyboard.press('Escape')
  return [
    { what: 'photos: first preview', value: first, isTime: true, show: showMs },
    {
      ...{ what: 'photos: p75 of the next photo', value: percentile(times, 0.75) },
      ...{ limit: 100, isTime: true, show: showMs },
    },
  ]
}
