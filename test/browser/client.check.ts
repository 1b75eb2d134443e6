import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { startWithAccount } from '../support/fixture.ts'
import { ADMIN, type Holdfast, register, startHoldfast } from '../support/holdfast.ts'
import { createS3Keys, rawS3 } from '../support/s3.ts'
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

test('a page of any origin uploads and reads by presigned URLs of the S3 API', async () => {
  await using far = await startWithAccount()
  const keys = await createS3Keys(far, far.cookie)
  const client = new Bun.S3Client({ ...keys, endpoint: far.url, bucket: 'presigned' })
  await rawS3(far, keys)('/presigned', { method: 'PUT' })
  using elsewhere = Bun.serve({ port: 0, fetch: () => new Response('elsewhere') })
  const page = await browser.newPage()
  await page.goto(elsewhere.url.href)
  const urls = {
    put: client.presign('a/photo é.jpg', { method: 'PUT', expiresIn: 60 }),
    get: client.presign('a/photo é.jpg', { expiresIn: 60 }),
    wrong: client.presign('other', { method: 'PUT', expiresIn: 60 }).replace('other', 'another'),
  }
  const result = await page.evaluate(async ({ put, get, wrong }) => {
    const headers = { 'Content-Type': 'image/x-own', 'Cache-Control': 'max-age=5' }
    const sent = await fetch(put, { method: 'PUT', headers, body: 'pixels' })
    const read = await fetch(get)
    const refused = await fetch(wrong, { method: 'PUT', body: 'pixels' })
    return {
      sent: [sent.status, sent.headers.get('etag')],
      read: [await read.text(), read.headers.get('content-type'), read.headers.get('cache-control')],
      refused: [refused.status, /<Code>(\w+)</.exec(await refused.text())?.[1]],
    }
  }, urls)

  expect(result).toEqual({
    sent: [200, `"${Bun.CryptoHasher.hash('md5', 'pixels', 'hex')}"`],
    read: ['pixels', 'image/x-own', 'max-age=5'],
    refused: [403, 'SignatureDoesNotMatch'],
  })
  await page.close()
})
