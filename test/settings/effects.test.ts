import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { refusalOf, register, startHoldfast, TestClock } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { temporaryFolder } from '../support/temporary.ts'

const holdfast = withInside({ clock: new TestClock() })
const { api } = holdfast
const change = (body: unknown) => holdfast.bySession.data('PUT', '/settings', body)
let before: unknown
beforeAll(async () => {
  before = await holdfast.bySession.data('GET', '/settings')
})
afterEach(() => change(before))

/** Returns the lifetime in seconds of a link that was requested with `expiresIn`. */
async function signedFor(id: string, expiresIn?: number): Promise<number> {
  return (Date.parse((await api.sign(id, expiresIn)).expiresAt) - holdfast.now()) / 1000
}

describe('a changed setting is in force at once', () => {
  test('maxUploadSize, for the next upload: a file of exactly the limit is fine', async () => {
    await change({ limits: { maxUploadSize: 10 } })

    const fits = await holdfast.sendUpload({ fits: '0123456789' })
    const refused = await holdfast.sendUpload({ larger: '0123456789x' })

    expect(fits.status).toBe(200)
    expect(await refusalOf(refused)).toEqual([413, expect.stringContaining('10')])
    expect(await storedIn(holdfast).keys()).toEqual(['fits'])
  })

  test('the default visibility, for uploads that name none; files that are there keep theirs', async () => {
    const before = await api.upload('before', 'x')
    await change({ defaultVisibility: 'private' })

    const after = await api.upload('after', 'x', 'new')
    const named = await api.upload('named', 'x', '', 'public')

    expect([before, after, named].map(({ visibility }) => visibility)).toEqual([
      'public',
      'private',
      'public',
    ])
    expect((await holdfast.fetch(`/${before.url}`)).status).toBe(200)
    expect((await holdfast.fetch(`/${after.url}`)).status).toBe(404)
  })

  test('the lifetimes of signed links, the default and the maximum', async () => {
    const { id } = await api.upload('signed', 'x')
    await change({ limits: { defaultPresignTtl: 100, maxPresignTtl: 200 } })

    expect(await signedFor(id)).toBe(100)
    expect(await signedFor(id, 150)).toBe(150)
    expect(await signedFor(id, 201)).toBe(200)
  })

  test('the longest lifetime there may be still gives a link that works', async () => {
    const file = await api.upload('long', 'x', '', 'private')
    await change({ limits: { maxPresignTtl: 3_153_600_000, defaultPresignTtl: 3_153_600_000 } })

    const { url, expiresAt } = await api.sign(file.id)

    expect(expiresAt).toBe('2126-02-05T12:00:00.000Z')
    expect((await holdfast.fetch(`/${url}`)).status).toBe(200)
  })

  test('hostingCacheMaxAge, also for a file that is answered from memory, and its 304', async () => {
    const { url } = await api.upload('cached', 'x')
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
  test('let readers share where an older version did', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const first = await startHoldfast({ dataPath })
    const { cookie } = await register(first)
    using database = openDatabase(first)
    database.run("DELETE FROM settings WHERE name = 'sharing'")
    await first.stop()

    await using second = await startHoldfast({ dataPath })
    const settings = await apiOf(second, { withKey: { Cookie: cookie } }).data('GET', '/settings')
    expect(settings).toMatchObject({ sharing: 'readers' })
  })

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
      sharing: 'writers',
      requireSecondFactor: 'no',
    })
    expect(await apiOf(second, { withKey: { Cookie: cookie } }).data<unknown>('GET', '/settings')).toEqual(
      changed,
    )
  })
})
