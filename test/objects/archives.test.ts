import { expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import { eventually } from '../support/eventually.ts'
import { register, startInside } from '../support/holdfast.ts'
import { S3Store } from '../support/s3-store.ts'

const FILES = 40
/** Blobs that one archive opens ahead. */
const EACH_AHEAD = 8

test('an archive requests further blobs while the object store is slow to send one', async () => {
  const store = await S3Store.start()
  const { endpoint, bucket, accessKeyId, secretAccessKey } = store.location
  await using holdfast = await startInside({
    environment: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
      CACHE_SIZE: '0',
    },
  })
  const headers = (await register(holdfast)).withKey
  const names = Array.from({ length: FILES }, (_, n) => `${n}.txt`)
  const body = zipSync(Object.fromEntries(names.map((name) => [name, Buffer.from(name)])))
  await holdfast.fetch('/api/folders/import?folder=many', { method: 'POST', headers, body })
  const download = (signal?: AbortSignal) =>
    holdfast.fetch('/api/folders/download?key=many', { headers, ...(signal && { signal }) })
  const whole = Buffer.from(await (await download()).bytes())
  expect(names.every((name) => whole.includes(`many/${name}`))).toBe(true)

  store.requests.length = 0
  store.misbehave(({ method }) => method === 'GET', 'stall')
  const leaving = new AbortController()
  const stalled = download(leaving.signal).catch(() => 'aborted')
  await eventually(() => store.requests.length === 1 + EACH_AHEAD)
  leaving.abort()
  expect(await stalled).toBe('aborted')
  await store.stop()
})
