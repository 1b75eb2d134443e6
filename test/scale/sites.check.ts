import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Site, Sites } from '../../src/client/types.ts'
import { askingOf, told } from '../sites/asking.ts'
import { type Api, apiOf } from '../support/api.ts'
import { type Inside, TestClock } from '../support/holdfast.ts'
import { openPair } from './instances.ts'

const environment = { SITES_DOMAIN: 'sites.test' }
const pair = openPair(environment)
/** Time of a third server, whose jobs do not run. */
const clock = new TestClock()

let here: Api
let third: Inside

beforeAll(async () => {
  here = apiOf(pair.one, pair.account)
  third = await pair.nodes.start({ environment, clock, runsJobs: false })
})
afterAll(() => third.stop())

const create = async (name: string, fields: object = {}) => {
  await here.upload('index.html', name, `sites/${name}`)
  const folder = `sites/${name}`
  return (await here.data<{ site: Site }>('POST', '/sites', { folder, name, ...fields })).site
}

describe('hosts that strangers choose', () => {
  test('make a server read the sites of others a few times only', async () => {
    const { ask } = askingOf(third)
    const spend = async () => {
      for (let n = 0; n < 30; n += 1) await ask(`stranger-${n}.example`, '/none')
    }
    clock.advance(60_000)
    await spend()
    await create('late', { domains: ['late.example'] })

    const statuses = []
    for (let n = 0; n < 5; n += 1)
      statuses.push((await third.fetch('/api/sites/ask?domain=late.example')).status)
    expect(statuses).toEqual([404, 404, 404, 404, 404])
    expect((await ask('late.example', '/')).body.toString()).not.toBe('late')
    clock.advance(1000)
    expect(told(await ask('late.example', '/'))).toEqual([200, 'late'])
  })

  test('find what is there without the database while that is away', async () => {
    const { ask } = askingOf(third)
    const statuses = async (host: string) => {
      const answers = []
      for (const target of ['/', '/api/health', '/api/sites/ask?domain=holdfast.test', '/api/files'])
        answers.push([target, (await ask(host, target)).status])
      return answers
    }
    pair.postgres.stop('immediate')
    clock.advance(60_000)
    const [own, strange] = [await statuses('holdfast.test'), await statuses('stranger.example')]
    pair.postgres.start()

    expect(strange).toEqual(own)
    expect(strange).toContainEqual(['/api/sites/ask?domain=holdfast.test', 200])
  })
})

test('a page in memory shows each change of one file beside it on another server', async () => {
  const { ask, askAgain } = askingOf(pair.two)
  await create('beside')
  const page = async (more: Record<string, string> = {}) => {
    const [first, ...others] = (await askAgain('beside.sites.test', '/index.html', more)).map(
      ({ status, headers, body }) => [
        status,
        headers.get('x-rule') ?? headers.get('location') ?? headers.get('vary') ?? body.toString(),
      ],
    )
    for (const other of others) expect<unknown>(other).toEqual(first)
    return first
  }
  const put = (name: string, text: string) => here.upload(name, text, 'sites/beside')
  const change = (id: string, fields: object) => here.data('PUT', '/files', { id, ...fields })
  const plain = [200, 'beside']
  expect(await page()).toEqual(plain)

  const rules = await put('_headers', '/*\n  X-Rule: 1\n')
  expect(await page()).toEqual([200, '1'])
  await change(rules.id, { visibility: 'private' })
  expect(await page()).toEqual(plain)
  await change(rules.id, { visibility: 'public' })
  expect(await page()).toEqual([200, '1'])
  await change(rules.id, { name: 'headers' })
  expect(await page()).toEqual(plain)
  await change(rules.id, { name: '_headers' })
  expect((await here.replace(rules.id, '/*\n  X-Rule: 2\n')).status).toBe(200)
  expect(await page()).toEqual([200, '2'])
  await here.data('POST', '/trash', { fileIds: [rules.id] })
  expect(await page()).toEqual(plain)

  const redirects = await put('_redirects', '/index.html /other 302!\n')
  expect(await page()).toEqual([302, '/other'])
  await here.data('DELETE', '/files', { id: redirects.id })
  expect(await page()).toEqual(plain)

  const form = await put('index.html.br', 'form')
  expect(await page()).toEqual([200, 'Accept-Encoding'])
  await change(form.id, { name: 'other.br' })
  expect(await page()).toEqual(plain)

  const { sites } = await here.data<Sites>('GET', '/sites')
  const id = sites.find(({ name }) => name === 'beside')?.id
  await here.data('PUT', '/sites', { id, password: 'low tide at noon' })
  expect((await ask('beside.sites.test', '/index.html')).status).toBe(401)
})
