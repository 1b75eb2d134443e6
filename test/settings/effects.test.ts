import { describe, expect, test } from 'bun:test'
import { apiOf } from '../support/api.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Holdfast, refusalOf, register, startHoldfast, TestClock } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function start() {
  const holdfast = await startInsideWithAccount({ clock: new TestClock() })
  return Object.assign(holdfast, {
    change: (body: unknown) => holdfast.bySession.data('PUT', '/settings', body),
  })
}

/** Returns the lifetime in seconds of a link that was requested with `expiresIn`. */
async function signedFor(holdfast: Holdfast, headers: Record<string, string>, body: object): Promise<number> {
  const { expiresAt } = await apiOf(holdfast, { withKey: headers }).data<{ expiresAt: string }>(
    'POST',
    '/files/sign',
    body,
  )
  return (Date.parse(expiresAt) - holdfast.now()) / 1000
}

describe('a changed setting is in force at once', () => {
  test('maxUploadSize, for the next upload: a file of exactly the limit is fine', async () => {
    await using holdfast = await start()
    const { change } = holdfast
    await change({ limits: { maxUploadSize: 10 } })

    const fits = await holdfast.sendUpload({ fits: '0123456789' })
    const refused = await holdfast.sendUpload({ larger: '0123456789x' })

    expect(fits.status).toBe(200)
    expect(await refusalOf(refused)).toEqual([413, expect.stringContaining('10')])
    expect(await storedIn(holdfast).keys()).toEqual(['fits'])
  })

  test('the default visibility, for uploads that name none; files that are there keep theirs', async () => {
    await using holdfast = await start()
    const { change } = holdfast
    const before = await holdfast.api.upload('before', 'x')
    await change({ defaultVisibility: 'private' })

    const after = await holdfast.api.upload('after', 'x', 'new')
    const named = await holdfast.api.upload('named', 'x', '', 'public')

    expect([before, after, named].map(({ visibility }) => visibility)).toEqual([
      'public',
      'private',
      'public',
    ])
    expect((await holdfast.fetch(`/${before.url}`)).status).toBe(200)
    expect((await holdfast.fetch(`/${after.url}`)).status).toBe(404)
  })

  test('the lifetimes of signed links, the default and the maximum', async () => {
    await using holdfast = await start()
    const { change } = holdfast
    const { id } = await holdfast.api.upload('a', 'x')
    await change({ limits: { defaultPresignTtl: 100, maxPresignTtl: 200 } })

    expect(await signedFor(holdfast, holdfast.withKey, { id })).toBe(100)
    expect(await signedFor(holdfast, holdfast.withKey, { id, expiresIn: 150 })).toBe(150)
    expect(await signedFor(holdfast, holdfast.withKey, { id, expiresIn: 201 })).toBe(200)
  })

  test('the longest lifetime there may be still gives a link that works', async () => {
    await using holdfast = await start()
    const { change } = holdfast
    const file = await holdfast.api.upload('a', 'x', '', 'private')
    await change({ limits: { maxPresignTtl: 3_153_600_000, defaultPresignTtl: 3_153_600_000 } })

    const { url, expiresAt } = await holdfast.api.sign(file.id)

    expect(expiresAt).toBe('2126-02-05T12:00:00.000Z')
    expect((await holdfast.fetch(`/${url}`)).status).toBe(200)
  })

  test('hostingCacheMaxAge, also for a file that is answered from memory, and its 304', async () => {
    await using holdfast = await start()
    const { change } = holdfast
    const { url } = await holdfast.api.upload('a', 'x')
    const cacheControl = async (headers = {}) =>
      (await holdfast.fetch(`/${url}`, { headers })).headers.get('cache-control')
    const etag = (await holdfast.fetch(`/${url}`)).headers.get('etag') ?? ''
    expect(await cacheControl()).toBe('public, max-age=0, must-revalidate')

    await change({ limits: { hostingCacheMaxAge: 60 } })

    expect(await cacheControl({ 'If-None-Match': etag })).toBe('public, max-age=60, must-revalidate')
    expect(await cacheControl()).toBe('public, max-age=60, must-revalidate')
    expect(await cacheControl()).toBe('public, max-age=60, must-revalidate')
    await change({ limits: { hostingCacheMaxAge: 0 } })
    expect(await cacheControl()).toBe('public, max-age=0, must-revalidate')
  })
})

describe('the settings', () => {
  test('survive a restart; the environment gives starting values only', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const first = await startHoldfast({
      dataPath,
      environment: {
        MAX_UPLOAD_SIZE: '1kb',
        DEFAULT_FILE_VISIBILITY: 'private',
        HOSTING_CACHE_MAX_AGE: '5',
      },
    })
    const { cookie } = await register(first)
    const changed = await apiOf(first, { withKey: { Cookie: cookie } }).data('PUT', '/settings', {
      limits: { hostingCacheMaxAge: 60, maxPresignTtl: 5000 },
    })
    await first.stop()

    await using second = await startHoldfast({
      dataPath,
      environment: {
        MAX_UPLOAD_SIZE: '2kb',
        DEFAULT_FILE_VISIBILITY: 'public',
        HOSTING_CACHE_MAX_AGE: '6',
      },
    })

    expect(changed).toEqual({
      defaultVisibility: 'private',
      visibilityCounts: { public: 0, private: 0 },
      limits: {
        maxUploadSize: 1024,
        defaultPresignTtl: 3600,
        maxPresignTtl: 5000,
        hostingCacheMaxAge: 60,
        activityRetentionDays: 90,
        apiRequestRetentionDays: 90,
      },
      trashDays: 30,
      versionDays: 30,
    })
    expect(await apiOf(second, { withKey: { Cookie: cookie } }).data<unknown>('GET', '/settings')).toEqual(
      changed,
    )
  })
})
