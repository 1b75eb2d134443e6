import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { S3Client } from '../../src/s3/client.ts'
import { S3Error } from '../../src/s3/error.ts'
import { probe } from '../../src/s3/probe.ts'
import { S3Store, type SeenRequest } from '../support/s3-store.ts'

let store: S3Store
beforeEach(async () => {
  store = await S3Store.start()
})
afterEach(() => store.stop())

function probeStore(clock = { now: Date.now, monotonic: () => 0 }) {
  const random = { bytes: (count: number) => randomBytes(count), id: () => '' }
  const client = new S3Client(store.location, {
    clock: { now: Date.now, monotonic: () => 0 },
    random,
    patience: { pausesMs: [1, 1] },
  })
  return probe(client, { prefix: 'p/', clock, random })
}

const isMultipart = ({ query }: SeenRequest) => query.has('uploads') || query.has('uploadId')

describe('probe', () => {
  test('finds nothing missing in a complete store, and leaves nothing in it', async () => {
    expect(await probeStore()).toEqual({ missing: [], advice: [] })
    expect(store.objects.size).toBe(0)
    expect(store.uploads.size).toBe(0)
  })

  test.each<[string, (request: SeenRequest) => boolean, S3Store['fault']]>([
    ['read a range', ({ headers }) => headers.has('range'), () => 'send the whole object'],
    ['copy an object', ({ headers }) => headers.has('x-amz-copy-source'), () => ({ status: 501 })],
    [
      'list objects',
      ({ query }) => query.has('list-type'),
      () => ({ status: 200, body: '<ListBucketResult/>' }),
    ],
    ['receive an object in parts', isMultipart, () => ({ status: 405, code: 'MethodNotAllowed' })],
    [
      'delete several objects',
      ({ query }) => query.has('delete'),
      () => ({ status: 501, code: 'NotImplemented' }),
    ],
  ])('says that a store does not %s', async (ability, matches, fault) => {
    store.fault = (request) => (matches(request) ? fault(request) : undefined)
    const { missing } = await probeStore()
    expect(missing.join('\n')).toContain(`The object store does not ${ability}`)
    expect(store.objects.size).toBe(0)
  })

  test('says that a store takes bytes with another hash', async () => {
    store.fault = ({ key, method }) =>
      method === 'PUT' && key.endsWith('-other') ? { status: 200 } : undefined
    expect((await probeStore()).missing).toEqual([
      'The object store does not refuse bytes that do not match their signed SHA-256.',
    ])
  })

  test('advises on overwriting, slow responses and clocks', async () => {
    store.fault = ({ headers }) => (headers.has('if-none-match') ? { status: 200 } : undefined)
    let time = 0
    const { missing, advice } = await probeStore({
      now: () => Date.now() + 120_000,
      monotonic: () => (time += 44),
    })
    expect(missing).toEqual([])
    expect(advice.map((sentence) => sentence.slice(0, 40))).toEqual([
      'The object store ignores If-None-Match. ',
      'The object store takes 44 ms for the sma',
      'The clocks of this machine and of the ob',
    ])
  })

  test('throws the error of the first refused object', async () => {
    store.fault = () => ({ status: 403, code: 'SignatureDoesNotMatch' })
    const error = await probeStore().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(S3Error)
    expect(error instanceof S3Error && error.message).toContain('S3_SECRET_ACCESS_KEY')
  })
})
