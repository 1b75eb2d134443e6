import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Site } from '../../src/client/types.ts'
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
