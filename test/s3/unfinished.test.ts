import { describe, expect, test } from 'bun:test'
import type { AccountStorage } from '../../src/client/types.ts'
import { eventually } from '../support/eventually.ts'
import { startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { BASE_URL, type Holdfast, TestClock } from '../support/holdfast.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { codeOf, createS3Keys, rawS3, textsIn } from '../support/s3.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { countStaged, pushedBody } from '../uploads/tus.ts'
import { bytesOf, type Listed, MIB, md5, partsIn } from './parts.ts'

/** Makes a bucket, and returns the requests for uploads in parts to it. */
async function bucketOf(holdfast: Holdfast & { now: () => number; cookie: string }) {
  const keys = await createS3Keys(holdfast, holdfast.cookie)
  const raw = rawS3(holdfast, keys)
  const send: typeof raw = (path, sent) => raw(path, { now: holdfast.now(), ...sent })
  await send('/parts', { method: 'PUT' })
  return { keys, send, ...partsIn(send, 'parts') }
}

const [ONE, TWO] = [bytesOf(5 * MIB, 1), bytesOf(5 * MIB, 2)]

describe('parts that have arrived', () => {
  test('are there after a restart, in any order', async () => {
    await using holdfast = await startInsideWithAccount()
    const { keys, begin, sendParts } = await bucketOf(holdfast)
    const id = await begin('lasting')
    await sendParts('lasting', id, [
      [1, ONE],
      [3, bytesOf(9, 3)],
    ])
    await holdfast.stop()
    await using again = await startAgain(holdfast)
    const after = partsIn(rawS3(again, keys), 'parts')
    await after.sendParts('lasting', id, [[2, TWO]])
    const listed: Listed[] = [ONE, TWO, bytesOf(9, 3)].map((bytes, index) => [index + 1, md5(bytes)])

    expect((await after.complete('lasting', id, listed)).status).toBe(200)
    expect(Buffer.compare(await after.get('lasting'), Buffer.concat([ONE, TWO, bytesOf(9, 3)]))).toBe(0)
    expect(countStaged(again)).toBe(0)
  })

  test('answer a repeated completion after a restart', async () => {
    await using holdfast = await startInsideWithAccount()
    const { keys, begin, sendParts, complete } = await bucketOf(holdfast)
    const id = await begin('answered')
    const listed = await sendParts('answered', id, [[1, bytesOf(100, 1)]])
    const first = await (await complete('answered', id, listed)).text()
    await holdfast.stop()
    await using again = await startAgain(holdfast)
    const second = await (await partsIn(rawS3(again, keys), 'parts').complete('answered', id, listed)).text()

    expect(textsIn(second, 'ETag')).toEqual(textsIn(first, 'ETag'))
  })

  test('are gone a day after the last of them, and leave nothing', async () => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ clock })
    const { begin, put, sendParts } = await bucketOf(holdfast)
    const id = await begin('expiring')
    clock.advance(80_000_000)
    await sendParts('expiring', id, [[1, ONE]])
    clock.advance(80_000_000)
    await holdfast.server.jobs.runAll()
    await sendParts('expiring', id, [[2, TWO]])
    clock.advance(86_400_000)
    await holdfast.server.jobs.runAll()

    expect(await codeOf(await put('expiring', id, 3, 'abc'))).toEqual([404, 'NoSuchUpload'])
    expect(countStaged(holdfast)).toBe(0)
  })

  test('are gone with the API key that began their upload', async () => {
    await using holdfast = await startInsideWithAccount()
    const { keys, begin, sendParts } = await bucketOf(holdfast)
    const id = await begin('revoked')
    await sendParts('revoked', id, [[1, ONE]])
    const [key] = (await holdfast.bySession.data<{ keys: { id: string }[] }>('GET', '/keys')).keys
    expect(key?.id.replaceAll('-', '')).toBe(keys.accessKeyId)
    await holdfast.bySession.data('DELETE', '/keys', { id: key?.id })
    await holdfast.server.jobs.runAll()

    expect(await holdfast.catalog.resumables.byId(id)).toBeUndefined()
    expect(countStaged(holdfast)).toBe(0)
  })

  test('count towards the quota once, and no more when their upload is given up', async () => {
    await using holdfast = await startInsideWithAccount()
    const editor = await holdfast.addUser('editor')
    await holdfast.admin.api.data('PUT', '/users/quota', { id: editor.id, quota: 16 * MIB })
    const { begin, put, sendParts, complete, abort } = await bucketOf({ ...holdfast, cookie: editor.cookie })
    const other = await begin('other')
    await sendParts('other', other, [[1, ONE]])
    const id = await begin('full')
    const listed = await sendParts('full', id, [
      [1, ONE],
      [1, TWO],
    ])

    expect(await codeOf(await put('full', id, 2, bytesOf(7 * MIB, 1)))).toEqual([507, 'QuotaExceeded'])
    await abort('other', other)
    const more = await sendParts('full', id, [[2, TWO]])
    expect((await complete('full', id, [...listed.slice(1), ...more])).status).toBe(200)
    expect(await editor.api.data<AccountStorage>('GET', '/me/usage')).toMatchObject({ usedBytes: 10 * MIB })
  })

  test('are at most as long together as a file may be', async () => {
    await using holdfast = await startInsideWithAccount()
    await holdfast.bySession.data('PUT', '/settings', { limits: { maxUploadSize: 11 * MIB } })
    const { begin, put, sendParts, complete } = await bucketOf(holdfast)
    const id = await begin('long')
    const listed = await sendParts('long', id, [
      [1, ONE],
      [2, TWO],
      [3, bytesOf(MIB, 3)],
    ])

    expect(await codeOf(await put('long', id, 4, 'a'))).toEqual([400, 'EntityTooLarge'])
    expect((await put('long', id, 3, bytesOf(MIB, 3))).status).toBe(200)
    expect((await complete('long', id, listed)).status).toBe(200)
  })

  test('do not count when their API key ends before them', async () => {
    await using holdfast = await startInsideWithAccount()
    const { keys } = await bucketOf(holdfast)
    const other = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie))
    const id = await partsIn(other, 'parts').begin('revoked')
    const { promise: isRevoked, resolve: revoked } = Promise.withResolvers<void>()
    const body = new ReadableStream({
      start: async (controller) => {
        controller.enqueue('5\r\nhello\r\n')
        await isRevoked
        controller.enqueue('0\r\n\r\n')
        controller.close()
      },
    })
    const sending = rawS3(holdfast, keys)('/parts/revoked', {
      ...{ method: 'PUT', query: { uploadId: id, partNumber: '1' }, body },
      payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      headers: { 'x-amz-decoded-content-length': '5' },
      now: holdfast.now(),
    })
    const { resumables } = holdfast.server.deps.store
    await eventually(async () => (await resumables.partIds(id)).length === 1)
    await holdfast.bySession.data('DELETE', '/keys', { id: keys.id })
    revoked()

    expect(await codeOf(await sending)).toEqual([403, 'AccessDenied'])
    expect(await resumables.partIds(id)).toEqual([])
  })

  test('leave nothing once their upload is completed or given up', async () => {
    await using holdfast = await startInsideWithAccount()
    const { begin, sendParts, complete, abort, put } = await bucketOf(holdfast)
    const [done, ended] = [await begin('done'), await begin('ended')]
    const listed = await sendParts('done', done, [
      [1, ONE],
      [4, bytesOf(10, 1)],
      [2, TWO],
      [1, ONE],
    ])
    await sendParts('ended', ended, [[1, ONE]])
    await put('ended', ended, 2, 'abc', { 'content-md5': Buffer.alloc(16).toString('base64') })
    expect((await complete('done', done, [...listed.slice(1, 3)])).status).toBe(200)
    await abort('ended', ended)

    expect(countStaged(holdfast)).toBe(0)
    expect(await holdfast.catalog.resumables.unfinishedIds()).toEqual([])
  })
})

describe('a part that arrives twice at once', () => {
  /** Sends a part whose last bytes wait for `end`. */
  function slow(send: ReturnType<typeof rawS3>, { id, text }: { id: string; text: string }) {
    const { body, push, close } = pushedBody()
    push(`${text.length.toString(16)}\r\n${text.slice(0, 10)}`)
    const response = send('/parts/raced', {
      method: 'PUT',
      query: { partNumber: '1', uploadId: id },
      headers: { 'x-amz-decoded-content-length': String(text.length), 'content-encoding': 'aws-chunked' },
      payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      body,
    })
    const end = () => {
      push(`${text.slice(10)}\r\n0\r\n\r\n`)
      close()
    }
    return { response, end }
  }

  test('is the one whose bytes were complete last', async () => {
    await using holdfast = await startInsideWithAccount()
    const { send, begin, put, complete, get } = await bucketOf(holdfast)
    const id = await begin('raced')
    const [first, second] = ['the first one', 'the second one']
    const started = slow(send, { id, text: first })
    expect((await put('raced', id, 1, second)).status).toBe(200)
    started.end()
    expect(await (await started.response).text()).toBe('')

    expect((await complete('raced', id, [[1, md5(first)]])).status).toBe(200)
    expect(Buffer.from(await get('raced')).toString()).toBe(first)
  })

  test('is refused when the upload was completed meanwhile', async () => {
    await using holdfast = await startInsideWithAccount()
    const { send, begin, put, complete } = await bucketOf(holdfast)
    const id = await begin('raced')
    const started = slow(send, { id, text: 'the first one' })
    await put('raced', id, 1, 'second')
    expect((await complete('raced', id, [[1, md5('second')]])).status).toBe(200)
    started.end()

    expect(await codeOf(await started.response)).toEqual([404, 'NoSuchUpload'])
    expect(countStaged(holdfast)).toBe(0)
  })
})

describe('a kill', () => {
  test('in the middle of a part or of a completion leaves what a client can finish', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const environment = { BASE_URL }
    let running = await spawnHoldfast({ dataPath, environment })
    const { cookie } = await registerWith(running)
    const keys = await createS3Keys(running, cookie)
    const bucket = () => {
      const send = rawS3(running, keys)
      return { send, ...partsIn(send, 'parts') }
    }
    const restart = async () => {
      await running[Symbol.asyncDispose]()
      running = await spawnHoldfast({ dataPath, environment })
    }
    await bucket().send('/parts', { method: 'PUT' })
    for (const delay of [0, 3, 10, 30]) {
      const key = `killed after ${delay}`
      const id = await bucket().begin(key)
      const [first] = await bucket().sendParts(key, id, [[1, ONE]])
      const cut = bucket().put(key, id, 2, TWO)
      cut.catch(() => {})
      await Bun.sleep(delay)
      await restart()
      const [second] = await bucket().sendParts(key, id, [[2, TWO]])
      if (!first || !second) throw new Error('A part is missing')
      const completion = bucket().complete(key, id, [first, second])
      completion.catch(() => {})
      await Bun.sleep(delay)
      await restart()

      expect((await bucket().complete(key, id, [first, second])).status).toBe(200)
      expect(Buffer.compare(await bucket().get(key), Buffer.concat([ONE, TWO]))).toBe(0)
    }
    await running[Symbol.asyncDispose]()
    expect(countStaged({ dataPath })).toBe(0)
  })
})
