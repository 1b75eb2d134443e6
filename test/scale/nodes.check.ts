import { beforeAll, describe, expect, test } from 'bun:test'
import { StartError } from '../../src/platform/errors.ts'
import { scheduleJobs } from '../../src/platform/jobs.ts'
import { MAX_KEY_BYTES } from '../../src/platform/names.ts'
import { type Api, apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, type Inside, postJson } from '../support/holdfast.ts'
import { openPair } from './instances.ts'
import { prepareNodes } from './nodes.ts'

const pair = openPair()

const log = { notice: () => {}, info: () => {}, error: () => {} }

/** The API of each server. */
let apis: readonly [Api, Api]

beforeAll(() => {
  apis = [apiOf(pair.one, pair.account), apiOf(pair.two, pair.account)]
})

/** Statuses of the responses, sorted. */
const statusesOf = async (responses: Promise<Response>[]) =>
  (await Promise.all(responses)).map(({ status }) => status).toSorted((a, b) => a - b)

function formOf(name: string, folder = ''): FormData {
  const form = new FormData()
  form.append('folder', folder)
  form.append('files', new Blob(['text']), name)
  return form
}

const uploadTo = (node: Inside, name: string, folder?: string) =>
  node.fetch('/api/files', { method: 'POST', headers: pair.account.withKey, body: formOf(name, folder) })

const rowsOf = (text: string) => pair.nodes.query(text)

describe('two servers on one database', () => {
  test('store files below a folder that the other replaces meanwhile', async () => {
    const [here, there] = apis
    for (let n = 0; n < 30; n++) {
      const [old, next] = [await here.createFolder(`place${n}`), await here.createFolder(`next${n}`)]
      const uploads = Array.from({ length: 6 }, (_, index) =>
        uploadTo(pair.one, 'file', `place${n}/below${index}`),
      )
      const swap = there.data('POST', '/folders/replace', { id: next.id, replaces: old.id })

      expect(await statusesOf(uploads)).toEqual([200, 200, 200, 200, 200, 200])
      await swap
    }
  })

  test('agree at once that a file exists, has changed, and is gone', async () => {
    for (let n = 0; n < 6; n++) {
      const [here, there] = n % 2 === 0 ? apis : apis.toReversed()
      if (!here || !there) throw new Error('There are two servers')
      const { id } = await here.upload(`${n}.txt`, 'text')
      expect(await there.file(id)).toMatchObject({ id, name: `${n}.txt`, visibility: 'public' })
      expect((await there.list()).map((file) => file.id)).toContain(id)
      await here.data('PUT', '/files', { id, name: `${n}.md`, visibility: 'private' })
      expect(await there.file(id)).toMatchObject({ name: `${n}.md`, visibility: 'private' })
      await here.data('DELETE', '/files', { id })
      expect(await there.refusal('GET', `/files?id=${id}`)).toEqual([404, 'File not found'])
      expect((await there.list()).map((file) => file.id)).not.toContain(id)
    }
    expect([...pair.one.logged, ...pair.two.logged]).toEqual([])
  })

  test('have the settings that either changed last', async () => {
    const session = { Cookie: pair.account.cookie }
    for (const [n, [here, there]] of [
      [pair.one, pair.two],
      [pair.two, pair.one],
    ].entries()) {
      const changed = await here?.fetch('/api/settings', {
        method: 'PUT',
        headers: session,
        body: JSON.stringify({ limits: { defaultPresignTtl: 100 + n } }),
      })
      expect(changed?.status).toBe(200)
      const found = await there?.fetch('/api/settings', { headers: session })
      expect(JSON.stringify(await found?.json())).toContain(`"defaultPresignTtl":${100 + n}`)
    }
  })

  test('give one name to one file or folder, whichever is first', async () => {
    for (let n = 0; n < 3; n++) {
      const name = `name ${n}`
      const statuses = await statusesOf([
        uploadTo(pair.one, name),
        uploadTo(pair.two, name),
        apis[0].send('POST', '/folders', { folder: name }),
        apis[1].send('POST', '/folders', { folder: name }),
      ])
      expect(statuses).toEqual([200, 409, 409, 409])
    }
  })

  test('make no circle of folders', async () => {
    for (let n = 0; n < 3; n++) {
      const [a, b] = [await apis[0].createFolder(`a${n}`), await apis[1].createFolder(`b${n}`)]
      const moved = await statusesOf([
        apis[0].send('POST', '/folders/move', { id: a.id, folderId: b.id }),
        apis[1].send('POST', '/folders/move', { id: b.id, folderId: a.id }),
      ])
      expect(moved).toEqual([200, 400])
    }
  })

  test('do each job once, but what each has to save on its own', async () => {
    let once = 0
    let everywhere = 0
    const jobs = [
      { pattern: '* * * * *', task: 'once', run: async () => (once += 1) },
      { pattern: '* * * * *', task: 'everywhere', run: async () => (everywhere += 1), isEverywhere: true },
    ]
    for (const { server } of [pair.one, pair.two]) {
      const scheduled = scheduleJobs(jobs, { log, claim: server.deps.store.claim })
      await scheduled.runAll()
      scheduled.stop()
    }
    expect({ once, everywhere }).toEqual({ once: 1, everywhere: 2 })
  })

  test('remember the latest use of a session, also when the other saves its own later', async () => {
    const usedAt = () => rowsOf('SELECT used_at FROM sessions')
    for (const server of [pair.one, pair.two]) {
      await server.fetch('/api/me', { headers: { Cookie: pair.account.cookie } })
      const at = Date.now()
      await eventually(() => Date.now() > at)
    }
    await pair.two.saveCounts()
    const latest = await usedAt()

    await pair.one.saveCounts()

    expect(await usedAt()).toEqual(latest)
  })

  test('do jobs by the settings that the other has changed, without a request in between', async () => {
    const { store } = pair.two.server.deps
    const found: number[] = []
    const run = async () => found.push(store.settings.current().activityRetentionDays)
    const jobs = scheduleJobs([{ pattern: '* * * * *', task: 'by settings', run }], {
      log,
      claim: store.claim,
    })
    const changed = await pair.one.fetch('/api/settings', {
      method: 'PUT',
      headers: { Cookie: pair.account.cookie },
      body: JSON.stringify({ limits: { activityRetentionDays: 77 } }),
    })

    await jobs.runAll()

    jobs.stop()
    expect([changed.status, found]).toEqual([200, [77]])
  })
})

describe('an upload beside a change of its folder', () => {
  /** Files whose folder is neither in the tree nor in the trash. */
  const LOST = `WITH RECURSIVE tree(id) AS (SELECT id FROM folders WHERE parent_id IS NULL
    UNION ALL SELECT folders.id FROM folders JOIN tree ON folders.parent_id = tree.id AND folders.parent_id <> folders.id)
    SELECT id FROM files WHERE folder_id NOT IN (SELECT id FROM tree)`

  /** Length of the longest key of a file. */
  const LONGEST = `WITH RECURSIVE tree(id, bytes) AS (SELECT id, 0 FROM folders WHERE parent_id IS NULL
    UNION ALL SELECT folders.id, bytes + octet_length(name) + 1
      FROM folders JOIN tree ON folders.parent_id = tree.id AND folders.parent_id <> folders.id)
    SELECT max(bytes + octet_length(files.name)) AS bytes FROM files JOIN tree ON files.folder_id = tree.id`

  test('is part of the folder that is deleted, or makes it again', async () => {
    for (let n = 0; n < 3; n++) {
      const folder = await apis[0].createFolder(`folder${n}`)
      const [removed, ...uploads] = await Promise.all([
        apis[1].send('DELETE', '/folders', { id: folder.id }),
        ...Array.from({ length: 6 }, (_, k) =>
          uploadTo(k % 2 ? pair.one : pair.two, `${k}.txt`, `folder${n}`),
        ),
      ])
      expect([removed, ...uploads].map((response) => response?.status)).toEqual(Array(7).fill(200))
    }
    for (const { server } of [pair.one, pair.two]) await server.deps.store.finishLeftovers()
    expect(await rowsOf(LOST)).toEqual([])
  })

  test('has no key that is too long after the folder got a longer one', async () => {
    const rest = Array(15).fill('l'.repeat(250)).join('/')
    for (let n = 0; n < 8; n++) {
      const folder = await apis[0].createFolder(`${n}`)
      await apis[0].createFolder(`${n}/${rest}`)
      await statusesOf([
        uploadTo(pair.one, 'n'.repeat(200), `${n}/${rest}`),
        apis[1].send('PUT', '/folders', { id: folder.id, name: `${n}`.padEnd(200, 'x') }),
      ])
      const [found] = await rowsOf(LONGEST)
      expect(Number(found?.['bytes'])).toBeLessThanOrEqual(MAX_KEY_BYTES)
    }
  })
})

describe('the first account', () => {
  test('is one, although two servers are asked at once', async () => {
    await using others = await prepareNodes(pair.postgres)
    const fresh = [await others.start(), await others.start()]
    const signUps = fresh.flatMap((node) =>
      [1, 2].map((n) =>
        postJson(node, '/api/auth/sign-up/email', { ...ADMIN, email: `${n}${node.port}@example.com` }),
      ),
    )
    expect(await statusesOf(signUps)).toEqual([200, 403, 403, 403])
  })
})

describe('a start', () => {
  const refusalOf = (started: Promise<Inside>) => started.then(undefined, (error: unknown) => error)

  test('with another secret is refused, and ends no session', async () => {
    const refusal = await refusalOf(
      pair.nodes.start({ environment: { AUTH_SECRET: 'quite another secret' } }),
    )
    expect(refusal).toBeInstanceOf(StartError)
    expect(refusal).toHaveProperty('message', expect.stringMatching(/^AUTH_SECRET is not the one/))
    expect((await pair.one.fetch('/api/settings', { headers: { Cookie: pair.account.cookie } })).status).toBe(
      200,
    )
  })

  test('with the bucket of another database is refused', async () => {
    await using others = await prepareNodes(pair.postgres)
    const environment = { DATABASE_URL: others.environment['DATABASE_URL'] ?? '' }
    const refusal = await refusalOf(pair.nodes.start({ environment }))
    expect(refusal).toHaveProperty('message', expect.stringContaining('the files of another Holdfast'))
  })
})

describe('a server behind a balancer', () => {
  const statusOf = async (node: Inside, path: string) => (await fetch(`${node.url}/api/${path}`)).status

  test('is not ready while the object store is away, and healthy all the same', async () => {
    const third = await pair.nodes.start()
    expect(await statusOf(third, 'health/ready')).toBe(200)
    pair.nodes.store.fault = () => ({ status: 403, code: 'AccessDenied' })
    await eventually(async () => (await statusOf(third, 'health/ready')) === 503)
    expect(await statusOf(third, 'health')).toBe(200)
    pair.nodes.store.fault = () => undefined
    await eventually(async () => (await statusOf(third, 'health/ready')) === 200)
    await third.stop()
  })

  test('is not ready before it stops to accept requests', async () => {
    const third = await pair.nodes.start()
    expect(await statusOf(third, 'health/ready')).toBe(200)
    const stopped = third.stop()
    expect([await statusOf(third, 'health/ready'), await statusOf(third, 'health')]).toEqual([503, 200])
    await stopped
    await expect(statusOf(third, 'health')).rejects.toThrow()
  })
})
