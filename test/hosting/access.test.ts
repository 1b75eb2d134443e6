import { afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { type FileView, TestClock } from '../support/holdfast.ts'
import { onWire, type Question, wholeAnswer } from './wire.ts'

let open: FileView
let secret: FileView
let etag: string
const clock = new TestClock()
const START = clock.now()
const holdfast = withInside({ isAlone: true, clock })
const { ask } = onWire(holdfast)

beforeAll(async () => {
  open = await holdfast.api.upload('open.txt', 'for all', 'p')
  secret = await store('secret.txt', 'hidden')
  const { headers } = await holdfast.api.send('GET', `/files/download/${secret.id}`)
  etag = headers.get('etag') ?? ''
})

afterEach(() => clock.setWall(START))

/** Uploads a private file into the folder `p`. */
const store = (name: string, content = 'x') => holdfast.api.upload(name, content, 'p', 'private')

/** Expects the response of a key that no file has. */
async function expectMissing(target: string, question?: Question): Promise<void> {
  const answer = await ask(target, question)
  const missing = await ask('/api/hosting/p/missing', question)
  expect(answer.status).toBe(404)
  expect(wholeAnswer(answer)).toEqual(wholeAnswer(missing))
}

describe('a private file without credentials', () => {
  test('gets the 404 of a missing key', async () => {
    const answer = await ask(`/${secret.url}`)

    expect(wholeAnswer(answer)).toEqual({
      head: [
        'HTTP/1.1 404 Not Found',
        'accept-ranges: bytes',
        'access-control-allow-origin: *',
        'access-control-expose-headers: Content-Range, Content-Length, ETag, Accept-Ranges, Error-Code',
        'cache-control: no-store',
        'content-security-policy: sandbox',
        'content-type: application/json;charset=utf-8',
        'cross-origin-resource-policy: cross-origin',
        'error-code: file-not-found',
        'x-content-type-options: nosniff',
        'content-length: 50',
        'Connection: close',
      ],
      body: '{"data":null,"error":{"message":"File not found"}}',
    })
  })

  test.each<[string, () => Question]>([
    ['GET', () => ({})],
    ['HEAD', () => ({ method: 'HEAD' })],
    ['a range', () => ({ headers: ['Range: bytes=0-1'] })],
    ['a range past the end', () => ({ headers: ['Range: bytes=999999-'] })],
    ['its tag', () => ({ headers: [`If-None-Match: ${etag}`] })],
    ['its tag by HEAD', () => ({ method: 'HEAD', headers: [`If-None-Match: ${etag}`] })],
    ['any tag', () => ({ headers: ['If-None-Match: *'] })],
    ['a date', () => ({ headers: ['If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT'] })],
    ['another tag, required', () => ({ headers: ['If-Match: "foo"'] })],
    ['its tag and a range', () => ({ headers: ['Range: bytes=0-1', `If-Range: ${etag}`] })],
    ['POST', () => ({ method: 'POST' })],
    ['OPTIONS', () => ({ method: 'OPTIONS' })],
  ])('gets for %s the response of a missing key', async (_, question) => {
    expect(etag).toStartWith('"6-')
    const [hidden, missing] = [
      await ask(`/${secret.url}`, question()),
      await ask('/api/hosting/p/missing', question()),
    ]

    expect(wholeAnswer(hidden)).toEqual(wholeAnswer(missing))
    expect([200, 206, 304, 412, 416]).not.toContain(hidden.status)
  })

  test.each(['?download=1', '?exp=1', '?sig=x', '?visibility=public', '?', '?API-Key=x'])(
    'is not opened by %s',
    (query) => expectMissing(`/${secret.url}${query}`),
  )

  test.each(['', '?exp=4102444800&sig=x'])('costs the work of a missing key (%p)', async (query) => {
    // How long both take is measured by `bun run bench timing`.
    const work = async (key: string) => {
      const { secrets, store } = holdfast.server.deps
      const { link } = secrets
      const lookUps = spyOn(store, 'accessAt')
      let signatures = 0
      Object.defineProperty(secrets, 'link', {
        configurable: true,
        get: () => {
          signatures += 1
          return link
        },
      })
      try {
        expect((await ask(`/api/hosting/${key}${query}`)).status).toBe(404)
        return { signatures, lookUps: lookUps.mock.calls.length }
      } finally {
        Object.defineProperty(secrets, 'link', { configurable: true, writable: true, value: link })
        lookUps.mockRestore()
      }
    }

    const hidden = await work(secret.key)

    expect(hidden).toEqual({ signatures: query === '' ? 0 : 1, lookUps: 1 })
    expect(await work('p/missing.txt')).toEqual(hidden)
  })
})

interface Link {
  exp: string
  sig: string
}

/** Signs a link to `file` that is valid for a minute. */
async function sign(file: Pick<FileView, 'id'>, expiresIn = 60): Promise<Link> {
  const query = new URL((await holdfast.api.sign(file.id, expiresIn)).url, holdfast.url).searchParams
  return { exp: query.get('exp') ?? '', sig: query.get('sig') ?? '' }
}

const linkTo = (file: FileView, { exp, sig }: Link) => `/${file.url}?exp=${exp}&sig=${sig}`

describe('a signed link', () => {
  test('opens its file to GET and HEAD, also beside other parameters', async () => {
    const link = linkTo(secret, await sign(secret))

    const answer = await ask(link)
    const attached = await ask(`${link}&download=1&utm=x`)
    const head = await ask(link, { method: 'HEAD' })

    expect([answer.status, answer.body.toString()]).toEqual([200, 'hidden'])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect([attached.status, head.status, head.body.length]).toEqual([200, 200, 0])
    expect(attached.headers.get('content-disposition')).toStartWith('attachment;')
  })

  test('of a public file opens no private one', async () => {
    await expectMissing(linkTo(secret, await sign(open)))
  })

  test.each<[string, (link: Link) => string]>([
    ['no signature', ({ exp }) => `exp=${exp}`],
    ['an empty signature', ({ exp }) => `exp=${exp}&sig=`],
    ['a signature cut short', ({ exp, sig }) => `exp=${exp}&sig=${sig.slice(0, -1)}`],
    ['a signature made longer', ({ exp, sig }) => `exp=${exp}&sig=${sig}A`],
    ['a padded signature', ({ exp, sig }) => `exp=${exp}&sig=${sig}%3D`],
    ['another first letter', ({ exp, sig }) => `exp=${exp}&sig=${sig[0] === 'A' ? 'B' : 'A'}${sig.slice(1)}`],
    ['other unused bits at the end', ({ exp, sig }) => `exp=${exp}&sig=${withOtherUnusedBits(sig)}`],
    [
      'a signature in hex',
      ({ exp, sig }) => `exp=${exp}&sig=${Buffer.from(sig, 'base64url').toString('hex')}`,
    ],
    ['a signature in upper case', ({ exp, sig }) => `exp=${exp}&sig=${sig.toUpperCase()}`],
    ['8,000 letters of signature', ({ exp }) => `exp=${exp}&sig=${'A'.repeat(8000)}`],
    ['another signature first', ({ exp, sig }) => `exp=${exp}&sig=x&sig=${sig}`],
    ['no expiry', ({ sig }) => `sig=${sig}`],
    ['an empty expiry', ({ sig }) => `exp=&sig=${sig}`],
    ['an expiry one second later', ({ exp, sig }) => `exp=${Number(exp) + 1}&sig=${sig}`],
    ['an expiry much later', ({ exp, sig }) => `exp=${Number(exp) + 1e9}&sig=${sig}`],
    ['an expiry one second sooner', ({ exp, sig }) => `exp=${Number(exp) - 1}&sig=${sig}`],
    ['a negative expiry', ({ exp, sig }) => `exp=-${exp}&sig=${sig}`],
    ['an expiry of 1e12', ({ sig }) => `exp=1e12&sig=${sig}`],
    ['an expiry in hex', ({ exp, sig }) => `exp=0x${Number(exp).toString(16)}&sig=${sig}`],
    ['space before the expiry', ({ exp, sig }) => `exp=%20${exp}&sig=${sig}`],
    ['space after the expiry', ({ exp, sig }) => `exp=${exp}%20&sig=${sig}`],
    ['a plus before the expiry', ({ exp, sig }) => `exp=%2B${exp}&sig=${sig}`],
    ['a zero before the expiry', ({ exp, sig }) => `exp=0${exp}&sig=${sig}`],
    ['a fraction behind the expiry', ({ exp, sig }) => `exp=${exp}.0&sig=${sig}`],
    ['a line break behind the expiry', ({ exp, sig }) => `exp=${exp}%0A&sig=${sig}`],
    ['an expiry in other digits', ({ exp, sig }) => `exp=${inArabicDigits(exp)}&sig=${sig}`],
    ['NaN for an expiry', ({ sig }) => `exp=NaN&sig=${sig}`],
    ['Infinity for an expiry', ({ sig }) => `exp=Infinity&sig=${sig}`],
    ['400 digits of expiry', ({ sig }) => `exp=${'9'.repeat(400)}&sig=${sig}`],
    ['another expiry first', ({ exp, sig }) => `exp=${Number(exp) + 1}&exp=${exp}&sig=${sig}`],
    ['names in upper case', ({ exp, sig }) => `EXP=${exp}&SIG=${sig}`],
    ['names with brackets', ({ exp, sig }) => `exp[]=${exp}&sig[]=${sig}`],
  ])('with %s opens nothing', async (_, spoil) => {
    const link = await sign(secret)
    expect((await ask(linkTo(secret, link))).status).toBe(200)

    await expectMissing(`/${secret.url}?${spoil(link)}`)
  })

  test.each<[seconds: number, opens: boolean]>([
    [-3600, true],
    [59, true],
    [59.999, true],
    [60, false],
    [61, false],
    [86_400, false],
  ])('valid for 60 seconds, used %d seconds after it was signed: %p', async (seconds, opens) => {
    const link = linkTo(secret, await sign(secret))

    clock.setWall(START + seconds * 1000)

    if (opens) expect((await ask(link)).body.toString()).toBe('hidden')
    else await expectMissing(link)
  })

  test('that expired opens again when the clock is set back', async () => {
    const link = linkTo(secret, await sign(secret))
    clock.setWall(START + 60_000)
    await expectMissing(link)

    clock.setWall(START - 3_600_000)

    expect((await ask(link)).status).toBe(200)
  })
})

/** Returns another encoding of the same bytes: only four of the last letter's six bits count. */
function withOtherUnusedBits(sig: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const other = `${sig.slice(0, -1)}${letters[letters.indexOf(sig.at(-1) ?? '') ^ 1]}`
  expect(Buffer.from(other, 'base64url').equals(Buffer.from(sig, 'base64url'))).toBe(true)
  return other
}

const inArabicDigits = (digits: string) =>
  encodeURIComponent(digits.replace(/\d/g, (digit) => String.fromCharCode(0x0660 + Number(digit))))

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const getAs = (path: string, headers: Record<string, string>, method = 'GET') =>
  holdfast.fetch(`/api/hosting/${path}`, { headers, method })

/** Returns all of a response that may tell one file from another. */
async function seen(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await getAs(path, headers, method)
  const names = [...response.headers].filter(([name]) => name !== 'date')
  return { status: response.status, headers: names, body: await response.text() }
}

test('a browser sees the same page for a private and a missing file, with the status of others', async () => {
  for (const query of ['', '?exp=9999999999&sig=AAAA', '?exp=1&sig=AAAA']) {
    const missing = await seen(`p/missing.txt${query}`, BROWSER)
    expect(await seen(`p/secret.txt${query}`, BROWSER)).toEqual(missing)
    expect(missing.status).toBe(404)
    expect(Object.fromEntries(missing.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': 'sandbox',
      'cache-control': 'private, no-store',
    })
    expect(missing.body).toContain(
      query.includes('exp=1&') ? 'This link has expired' : 'There is nothing here',
    )
    expect(missing.body).not.toMatch(/<script|missing\.txt/)
  }
})

test('the head of the page has its length', async () => {
  const { body } = await seen('p/secret.txt', BROWSER)
  const head = await getAs('p/secret.txt', BROWSER, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([404, String(body.length)])
})

test('programs get the same envelope as before', async () => {
  for (const headers of [{}, { Accept: '*/*' }, { Accept: 'image/avif,image/webp,*/*' }])
    for (const path of ['p/secret.txt', 'p/missing.txt']) {
      const { status, body } = await seen(path, headers)
      expect([status, body]).toEqual([404, '{"data":null,"error":{"message":"File not found"}}'])
    }
})

test('a browser that opens an expired link sees that it has expired', async () => {
  const file = await store('signed.txt', 'signed')
  const { url } = await holdfast.api.sign(file.id, 60)
  const open = async () => (await holdfast.fetch(`/${url}`, { headers: BROWSER })).text()

  expect(await open()).toBe('signed')
  clock.advance(61_000)
  expect(await open()).toContain('This link has expired')
})
