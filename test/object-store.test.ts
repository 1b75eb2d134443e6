import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../src/platform/errors.ts'
import { variablesOf } from './objects/store.ts'
import { failInside } from './support/command.ts'
import { type Inside, register, startInside, upload as uploadTo } from './support/holdfast.ts'
import { S3Store } from './support/s3-store.ts'
import { temporaryFolder } from './support/temporary.ts'

let store: S3Store
let folder: ReturnType<typeof temporaryFolder>
let dataPath: string

beforeEach(async () => {
  store = await S3Store.start()
  folder = temporaryFolder()
  dataPath = join(folder.path, 'data')
})
afterEach(async () => {
  await store.stop()
  folder[Symbol.dispose]()
})

const otherFolder = () => join(folder.path, `other ${Bun.randomUUIDv7()}`)

const variables = (changes: Record<string, string> = {}) => ({ ...variablesOf(store), ...changes })

const start = (dataPath: string, changes: Record<string, string> = {}) =>
  startInside({ dataPath, environment: variables(changes) })

async function refusalOf(started: Promise<Inside>): Promise<string> {
  const error = await started.then(
    async (holdfast) => {
      await holdfast.stop()
      return undefined
    },
    (reason: unknown) => reason,
  )
  if (error instanceof StartError) return error.message
  throw new Error('the start was not refused', { cause: error })
}

/** Uploads a public file and returns its path. */
async function upload(holdfast: Inside, name: string, content: string): Promise<string> {
  const { url } = await uploadTo(holdfast, (await register(holdfast)).withKey, { name, content })
  return `/${url}`
}

describe('the configuration of an object store', () => {
  test.each(['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])(
    'without %s is refused, and named',
    async (name) => {
      const { exitCode, output } = await failInside({ environment: variables({ [name]: '' }) })
      expect(exitCode).toBe(1)
      expect(output).toStartWith(`${name} is missing`)
      expect(store.requests).toEqual([])
    },
  )

  test.each(['S3_REGION', 'S3_PREFIX', 'S3_VIRTUAL_HOSTED'])(
    'with %s alone is refused, and what is missing is named',
    async (name) => {
      const { exitCode, output } = await failInside({ environment: { [name]: 'false' } })
      expect(exitCode).toBe(1)
      expect(output).toStartWith(
        'S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY are missing: S3_',
      )
      expect(output).toContain(`missing: ${name} is set`)
    },
  )

  test.each([
    ['S3_ENDPOINT', 's3.example.com'],
    ['S3_ENDPOINT', 'https://user:password@s3.example.com'],
    ['S3_BUCKET', '../bucket'],
    ['S3_PREFIX', 'a/../b'],
    ['S3_PREFIX', '/a'],
    ['S3_VIRTUAL_HOSTED', 'yes'],
    ['CACHE_SIZE', 'much'],
    ['S3_SECRET_ACCESS_KEY', 'a secret'],
  ])('refuses %s=%s', async (name, value) => {
    const { exitCode, output } = await failInside({ environment: variables({ [name]: value }) })
    expect(exitCode).toBe(1)
    expect(output).toContain(`${name} must be`)
    for (const secret of ['a secret', 'password']) expect(output).not.toContain(secret)
  })
})

describe('an instance on an object store', () => {
  test('claims its prefix at the first start, and finds its files at the next', async () => {
    const first = await start(dataPath, { S3_PREFIX: 'here' })
    const path = await upload(first, 'a.txt', 'hello')
    expect(await (await first.fetch(path)).text()).toBe('hello')
    await first.stop()
    expect([...store.objects.keys()].map((key) => key.replace(/[0-9a-f]{32}/, '<id>'))).toEqual([
      'here/volume',
      'here/owner',
      'here/blobs/<id>',
    ])

    rmSync(join(dataPath, 'cache'), { recursive: true })
    const second = await start(dataPath, { S3_PREFIX: 'here/' })
    expect(await (await second.fetch(path)).text()).toBe('hello')
    await second.stop()
  })

  test('does not use the prefix of another instance', async () => {
    const first = await start(dataPath)
    await first.stop()
    const stored = [...store.objects.keys()]
    expect(await refusalOf(start(otherFolder()))).toContain('another Holdfast')
    expect([...store.objects.keys()]).toEqual(stored)
    const other = await start(otherFolder(), { S3_PREFIX: 'other' })
    await other.stop()
  })

  test('does not start on a bucket that lost its files, or on none', async () => {
    const first = await start(dataPath)
    await upload(first, 'a.txt', 'hello')
    await first.stop()

    expect(await refusalOf(startInside({ dataPath }))).toContain('S3_ENDPOINT')
    expect(await refusalOf(start(dataPath, { S3_PREFIX: 'other' }))).toContain('S3_PREFIX')
    store.objects.clear()
    expect(await refusalOf(start(dataPath))).toContain('does not have the files of this Holdfast')
  })

  test('can be given another bucket while it has no files', async () => {
    for (const prefix of ['first', 'second']) await (await start(dataPath, { S3_PREFIX: prefix })).stop()
    await (await startInside({ dataPath })).stop()
  })

  test('does not use a store without a required feature', async () => {
    store.fault = ({ headers }) => (headers.has('range') ? 'send the whole object' : undefined)
    expect(await refusalOf(start(dataPath))).toContain('does not read a range of an object')
    store.fault = () => ({ status: 403, code: 'SignatureDoesNotMatch' })
    const refusal = await refusalOf(start(dataPath))
    expect(refusal).toContain('S3_SECRET_ACCESS_KEY')
    expect(refusal).not.toContain(store.location.secretAccessKey)

    store.fault = () => undefined
    await (await start(dataPath)).stop()
  })

  test('starts while its store is unavailable, and serves cached files', async () => {
    const first = await start(dataPath, { CACHE_SIZE: '1mb' })
    const path = await upload(first, 'a.txt', 'hello')
    await first.fetch(path)
    await first.stop()
    store.fault = () => ({ status: 503, code: 'ServiceUnavailable' })
    expect(await refusalOf(start(otherFolder()))).toContain('503')

    const second = await start(dataPath, { CACHE_SIZE: '1mb' })
    expect(second.logged.map(({ message }) => message).join('\n')).toContain(
      'The object store is not available',
    )
    expect((await second.fetch(path)).status).toBe(200)
    await second.stop()

    const third = await start(dataPath, { CACHE_SIZE: '0' })
    const away = await third.fetch(path)
    expect(away.status).toBe(503)
    expect(away.headers.get('retry-after')).toBe('5')
    store.fault = () => undefined
    expect((await third.fetch(path)).status).toBe(200)
    await third.stop()
  })
})
