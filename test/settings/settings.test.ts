import { describe, expect, test } from 'bun:test'
import type { Settings as SettingsView } from '../../src/client/types.ts'
import { openDatabase } from '../support/accounts.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'

/** Settings of a new instance, as the API shows them. */
const STARTING: SettingsView = {
  defaultVisibility: 'public',
  visibilityCounts: { public: 0, private: 0 },
  limits: {
    maxUploadSize: 5 * 1024 ** 3,
    defaultPresignTtl: 3600,
    maxPresignTtl: 604_800,
    hostingCacheMaxAge: 0,
    activityRetentionDays: 90,
    apiRequestRetentionDays: 90,
  },
  trashDays: 30,
  versionDays: 30,
  sharing: 'writers',
  requireSecondFactor: 'no',
}

const holdfast = withHoldfast()
const { bySession: admin } = holdfast

const read = () => admin.data<SettingsView>('GET', '/settings')
const change = (body: unknown) => admin.data<SettingsView>('PUT', '/settings', body)

describe('GET /api/settings', () => {
  test('answers with the default visibility, the counts of files and the limits', async () => {
    await using fresh = await startWithAccount()

    expect(await fresh.bySession.data<SettingsView>('GET', '/settings')).toEqual(STARTING)
  })

  test('counts the files of each visibility as they come, change and go', async () => {
    const { api } = holdfast
    const ids: string[] = []
    for (const [name, visibility] of [['one'], ['two'], ['three', 'private']] as const)
      ids.push((await api.upload(name, 'x', '', visibility ?? 'public')).id)
    const counts = async () => (await read()).visibilityCounts

    expect(await counts()).toEqual({ public: 2, private: 1 })
    await api.data('PUT', '/files', { id: ids[0], visibility: 'private' })
    expect(await counts()).toEqual({ public: 1, private: 2 })
    await api.data('DELETE', '/files', { ids })
    expect(await counts()).toEqual({ public: 0, private: 0 })
  })
})

test('an editor reads the settings that apply to files', async () => {
  const editor = await holdfast.addUser('editor')
  const ofFiles = () => editor.api.data('GET', '/settings/files')
  const before = await ofFiles()
  await change({ defaultVisibility: 'private', versionDays: 9 })

  expect(before).toEqual({ defaultVisibility: 'public', versionDays: 30, mayShare: true })
  expect(await ofFiles()).toEqual({ defaultVisibility: 'private', versionDays: 9, mayShare: true })
  await change({ defaultVisibility: 'public', versionDays: 30 })
})

describe('PUT /api/settings', () => {
  test('changes the default visibility alone and returns the current settings', async () => {
    const before = await read()

    const changed = await change({ defaultVisibility: 'private' })

    expect(changed).toEqual({ ...before, defaultVisibility: 'private' })
    expect(await read()).toEqual(changed)
    await change({ defaultVisibility: 'public' })
  })

  test.each([
    ['maxUploadSize', 1],
    ['defaultPresignTtl', 1],
    ['hostingCacheMaxAge', 0],
    ['activityRetentionDays', 1],
    ['apiRequestRetentionDays', 1],
    ['maxUploadSize', Number.MAX_SAFE_INTEGER],
    ['hostingCacheMaxAge', Number.MAX_SAFE_INTEGER],
    ['maxPresignTtl', 3_153_600_000],
    ['activityRetentionDays', 36_500],
    ['apiRequestRetentionDays', 36_500],
  ])('takes %s = %d and keeps the other limits', async (name, value) => {
    const before = await read()

    const changed = await change({ limits: { [name]: value } })

    expect(changed).toEqual({ ...before, limits: { ...before.limits, [name]: value } })
    expect(await read()).toEqual(changed)
  })

  test('takes the smallest maximum of signed links together with a default that fits', async () => {
    const { limits } = await change({ limits: { defaultPresignTtl: 1, maxPresignTtl: 1 } })

    expect(limits).toMatchObject({ defaultPresignTtl: 1, maxPresignTtl: 1 })
  })

  test('changes several limits and the default visibility at once', async () => {
    const changed = await change({ defaultVisibility: 'private', limits: STARTING.limits })

    expect(changed).toMatchObject({ defaultVisibility: 'private', limits: STARTING.limits })
    expect(await change({ defaultVisibility: 'public', limits: {} })).toMatchObject({
      defaultVisibility: 'public',
      limits: STARTING.limits,
    })
  })

  test('ignores names it does not know beside one that it does', async () => {
    const changed = await change({
      other: 1,
      visibilityCounts: { public: 9, private: 9 },
      limits: { hostingCacheMaxAge: 7, maxFiles: 3 },
    })

    expect(changed).toEqual({ ...STARTING, limits: { ...STARTING.limits, hostingCacheMaxAge: 7 } })
    await change({ limits: { hostingCacheMaxAge: 0 } })
  })

  test.each([
    [
      {},
      '"defaultVisibility", "trashDays", "versionDays", "sharing" or at least one of "limits" is required',
    ],
    [{ limits: {} }, 'limits'],
    [{ other: 1 }, 'defaultVisibility'],
    [{ limits: { maxFiles: 3 } }, 'limits'],
    [[], 'body'],
    [{ limits: [] }, 'limits'],
    [{ limits: null }, 'limits'],
    [{ defaultVisibility: 'hidden' }, '"public", "private"'],
    [{ defaultVisibility: null }, 'defaultVisibility'],
    [{ limits: { maxUploadSize: 0 } }, '"limits.maxUploadSize" must be at least 1'],
    [{ limits: { defaultPresignTtl: 0 } }, '"limits.defaultPresignTtl" must be at least 1'],
    [{ limits: { maxPresignTtl: 0 } }, '"limits.maxPresignTtl" must be at least 1'],
    [{ limits: { hostingCacheMaxAge: -1 } }, '"limits.hostingCacheMaxAge" must be at least 0'],
    [{ limits: { activityRetentionDays: 0 } }, '"limits.activityRetentionDays" must be at least 1'],
    [{ limits: { apiRequestRetentionDays: 0 } }, '"limits.apiRequestRetentionDays" must be at least 1'],
    [{ limits: { maxUploadSize: 1.5 } }, 'limits.maxUploadSize'],
    [{ limits: { maxUploadSize: '1000' } }, 'limits.maxUploadSize'],
    [{ limits: { maxUploadSize: null } }, 'limits.maxUploadSize'],
    [{ limits: { maxUploadSize: 2 ** 53 } }, `"limits.maxUploadSize" must be at most ${2 ** 53 - 1}`],
    [{ limits: { hostingCacheMaxAge: 1e300 } }, 'limits.hostingCacheMaxAge'],
    [{ limits: { maxPresignTtl: 3_153_600_001 } }, '"limits.maxPresignTtl" must be at most 3153600000'],
    [{ limits: { defaultPresignTtl: 3_153_600_001 } }, 'limits.defaultPresignTtl'],
    [{ limits: { activityRetentionDays: 36_501 } }, '"limits.activityRetentionDays" must be at most 36500'],
    [{ limits: { apiRequestRetentionDays: 36_501 } }, 'limits.apiRequestRetentionDays'],
    [{ limits: { defaultPresignTtl: 604_801 } }, 'limits.defaultPresignTtl'],
    [{ limits: { maxPresignTtl: 3599 } }, 'limits.defaultPresignTtl'],
    [{ limits: { defaultPresignTtl: 20, maxPresignTtl: 10 } }, 'limits.defaultPresignTtl'],
    [{ defaultVisibility: 'private', limits: { activityRetentionDays: 0 } }, 'activityRetentionDays'],
    [{ defaultVisibility: 'hidden', limits: { hostingCacheMaxAge: 60 } }, 'defaultVisibility'],
    [{ defaultVisibility: 'private', limits: { maxPresignTtl: 3599 } }, 'maxPresignTtl'],
  ])('refuses %j with the reason and changes nothing', async (body, named) => {
    const before = await read()

    const [status, message] = await admin.refusal('PUT', '/settings', body)

    expect(status).toBe(400)
    expect(message).toContain(named)
    expect(await read()).toEqual(before)
  })

  test('takes a default as long as the maximum, whichever of them is sent', async () => {
    await change({ limits: { maxPresignTtl: 3600 } })

    expect((await change({ limits: { defaultPresignTtl: 3600 } })).limits).toMatchObject({
      defaultPresignTtl: 3600,
      maxPresignTtl: 3600,
    })
    await change({ limits: { maxPresignTtl: 604_800 } })
  })

  test('refuses a body that is not JSON', async () => {
    expect((await admin.sendBody('PUT', '/settings', 'maxUploadSize=1')).status).toBe(400)
  })

  test('applies both of two changes that race', async () => {
    await Promise.all([
      change({ limits: { hostingCacheMaxAge: 11 } }),
      change({ limits: { activityRetentionDays: 12 } }),
      change({ defaultVisibility: 'private' }),
    ])

    expect(await read()).toMatchObject({
      defaultVisibility: 'private',
      limits: { hostingCacheMaxAge: 11, activityRetentionDays: 12 },
    })
    await change({ defaultVisibility: 'public', limits: STARTING.limits })
  })

  test('refuses one of two racing changes that do not go together', async () => {
    const answers = await Promise.all([
      admin.send('PUT', '/settings', { limits: { defaultPresignTtl: 7200 } }),
      admin.send('PUT', '/settings', { limits: { maxPresignTtl: 7100 } }),
    ])

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const { defaultPresignTtl = 0, maxPresignTtl = 0 } = (await read()).limits
    expect(defaultPresignTtl).toBeLessThanOrEqual(maxPresignTtl)
    await change({ limits: STARTING.limits })
  })

  test('changes nothing that could not be saved, also not later', async () => {
    using database = openDatabase(holdfast)
    database.refuse('UPDATE ON settings', { when: "new.name = 'hostingCacheSeconds'" })

    const response = await admin.send('PUT', '/settings', {
      defaultVisibility: 'private',
      limits: { hostingCacheMaxAge: 60 },
    })
    database.allow()

    expect(response.status).toBe(500)
    expect(await read()).toEqual(STARTING)
    await change({ limits: { activityRetentionDays: 91 } })
    expect(await read()).toEqual({ ...STARTING, limits: { ...STARTING.limits, activityRetentionDays: 91 } })
    await change({ limits: STARTING.limits })
  })
})
