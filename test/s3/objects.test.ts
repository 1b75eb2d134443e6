import { beforeAll, describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { codeOf, createS3Keys, rawS3, type S3Keys } from '../support/s3.ts'

const holdfast = withHoldfast()
let keys: S3Keys
let client: Bun.S3Client
let send: ReturnType<typeof rawS3>

beforeAll(async () => {
  keys = await createS3Keys(holdfast, holdfast.cookie)
  client = new Bun.S3Client({ ...keys, endpoint: holdfast.url, bucket: 'first', region: 'auto' })
  send = rawS3(holdfast, keys)
  expect((await send('/first', { method: 'PUT' })).status).toBe(200)
})

describe('an object', () => {
  test('is a file, and comes back with its metadata, entity tag and length', async () => {
    await client.write('docs/a b+c.txt', 'hello', { type: 'text/x-own' })
    const response = await send('/first/docs/a b+c.txt')
    expect(await response.text()).toBe('hello')
    expect(response.headers.get('etag')).toBe('"5d41402abc4b2a76b9719d911017c592"')
    expect(response.headers.get('content-type')).toContain('text/x-own')
    expect(await holdfast.api.hosted('first/docs/a b+c.txt')).toBe('hello')
    expect((await client.stat('docs/a b+c.txt')).size).toBe(5)
  })

  test('that does not exist is NoSuchKey, and a bucket NoSuchBucket', async () => {
    expect(await codeOf(await send('/first/none'))).toEqual([404, 'NoSuchKey'])
    expect(await codeOf(await send('/none/none'))).toEqual([404, 'NoSuchBucket'])
  })
})
