import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { ADMIN, type Holdfast, register, startHoldfast } from '../support/holdfast.ts'
import { launchChromium } from './chromium.ts'
import { USED, useFromElsewhere } from './far-page.ts'

let holdfast: Holdfast
let browser: Browser
beforeAll(async () => {
  holdfast = await startHoldfast({ environment: { BASE_URL: '' } })
  await register(holdfast)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await holdfast[Symbol.asyncDispose]()
})

/** Program for a page of the server's own origin, which uses its cookie and streams a file. */
const PROGRAM = `
const client = createClient({ url: location.origin })
await client.auth.signIn(${JSON.stringify(ADMIN)})
const seen = []
const content = new File([new Uint8Array(3_000_000)], 'ignored')
const onProgress = ({ loaded, total }) => seen.push([loaded, total])
const [watched] = await client.files.upload([{ name: 'watched.bin', content }], { folder: 'web', onProgress })
const [plain] = await client.files.upload([{ name: 'plain "1".txt', content: 'plain' }], { folder: 'web' })
const named = await client.files.upload(['100%22 %0D é.txt', 'second'].map((name) => ({ name, content })), { folder: 'exact', onProgress })
const pieces = []
const large = new File([new Uint8Array(40_000_000)], 'ignored')
const resumable = await client.files.uploadResumable({ name: 'large', content: large }, {
  folder: 'pieces', onProgress: ({ loaded }) => pieces.push(loaded),
})
const archive = await (await client.folders.archive({ key: 'web' })).blob()
const imported = await client.folders.import(archive, { folder: 'again', onProgress: () => {} })
const taken = await client.files.upload([{ name: 'watched.bin', content }], { folder: 'web', onProgress }).catch((e) => e)
const abort = new AbortController()
const given = client.files.upload([{ name: 'given up', content }], { onProgress: () => abort.abort(), signal: abort.signal })
const givenUp = await given.catch((error) => error.name)
await client.auth.signOut()
const out = await client.account.get().catch((error) => error.status)
globalThis.result = {
  last: seen.at(-1), named: named.map(({ name }) => name), watched: watched.size, plain: plain.key, files: imported.files,
  resumable: resumable.size, lastPiece: pieces.at(-1), remembered: localStorage.length,
  taken: [taken instanceof HoldfastError, taken.status, taken.message], givenUp, out,
}`

test('the client works in a browser, with progress and the cookie of the page', async () => {
  const build = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../src/client/index.ts')],
    target: 'browser',
  })
  const client = (await build.outputs[0]?.text()) ?? ''
  const page = await browser.newPage()
  await page.goto(`${holdfast.url}/api/health`)

  await page.addScriptTag({
    type: 'module',
    content: `${client.replace(/export \{[^}]*\};?\s*$/, '')}\n${PROGRAM}`,
  })
  await page.waitForFunction('globalThis.result !== undefined')
  const result = await page.evaluate<{ last: [number, number] }>('globalThis.result')

  expect(result).toMatchObject({
    watched: 3_000_000,
    plain: 'web/plain "1".txt',
    named: ['100%22 %0D é.txt', 'second'],
    files: 2,
    resumable: 40_000_000,
    lastPiece: 40_000_000,
    remembered: 0,
    taken: [true, 409, 'A file named "watched.bin" exists in this folder already'],
    givenUp: 'AbortError',
    out: 401,
  })
  expect(result.last[0]).toBe(result.last[1])
})

test('a page of an origin in CORS_ORIGINS uses the API with a key', async () => {
  expect(await useFromElsewhere(await browser.newPage())).toEqual(USED)
})
