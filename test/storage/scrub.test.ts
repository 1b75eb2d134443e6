import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '../../src/catalog/sqlite/open.ts'
import type { Stats } from '../../src/modules/stats/model.ts'
import { openDatabase } from '../support/accounts.ts'
import { type Registered, startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { type Inside, TestClock } from '../support/holdfast.ts'

const DAY_MS = 86_400_000

/** Starts an instance, on the data folder of a stopped one with `earlier`. */
async function start(environment: Record<string, string> = {}, earlier?: Registered<Inside>) {
  const clock = new TestClock()
  const options = { clock, environment }
  const holdfast = await (earlier ? startAgain(earlier, options) : startInsideWithAccount(options))
  const { integrity } = holdfast.catalog
  return {
    holdfast,
    clock,
    api: holdfast.api,
    /** Advances the clock by some days and scrubs the files that are due. */
    pass: async (days: number) => {
      clock.advance(days * DAY_MS)
      await holdfast.server.deps.store.scrub.advance()
    },
    problems: () => integrity.fileIds().map((id) => integrity.byFile(id)?.problem),
    [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose](),
  }
}

/** Changes a byte in place, as a failing disk does, without a change of size or time. */
function flip(file: string): void {
  const { atimeMs, mtimeMs } = statSync(file)
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1)
  writeFileSync(file, bytes)
  utimesSync(file, atimeMs / 1000, mtimeMs / 1000)
}

const integrityOf = ({ alerts }: Stats) => alerts.filter(({ type }) => type === 'integrity')

describe('the check of stored files', () => {
  test('learns that a text from before is UTF-8, so that it is served with its charset', async () => {
    await using started = await start()
    const { holdfast, api } = started
    const files = [await api.upload('utf8.txt', 'Grüße'), await api.upload('ascii.txt', 'Hello')]
    using database = openDatabase(holdfast)
    database.run('UPDATE files SET is_utf8 = 0')
    const types = async () => {
      const responses = await Promise.all(files.map(({ url }) => holdfast.fetch(`/${url}`)))
      return responses.map(({ headers }) => headers.get('content-type'))
    }
    expect(await types()).toEqual(['text/plain', 'text/plain'])

    await started.pass(30)

    expect(await types()).toEqual(['text/plain; charset=utf-8', 'text/plain'])
  })

  test('finds files that are missing, have another size or other bytes, and raises an alert', async () => {
    await using started = await start()
    const { holdfast, clock, api } = started
    for (const name of ['flipped', 'gone', 'grown', 'whole']) await api.upload(name, `content of ${name}`)
    flip(holdfast.path('flipped'))
    rmSync(holdfast.path('gone'))
    appendFileSync(holdfast.path('grown'), 'more')
    expect(integrityOf(await api.data<Stats>('GET', '/stats'))).toEqual([])

    await started.pass(30)

    expect(started.problems()).toEqual(['content differs', 'bytes are missing', 'size differs'])
    expect(integrityOf(await api.data<Stats>('GET', '/stats'))).toEqual([
      { type: 'integrity', count: 3, latest: '2026-03-31 12:00:00' },
    ])
    expect(holdfast.logged.map(({ message }) => message)).toContain(
      'A stored file is not what it was: "flipped": content differs',
    )
    clock.advance(DAY_MS)
    await started.pass(30)
    expect(integrityOf(await api.data<Stats>('GET', '/stats'))).toMatchObject([
      { count: 3, latest: '2026-03-31 12:00:00' },
    ])
  })

  test('finds damaged versions and files in the trash, and its alert says where they are', async () => {
    await using started = await start()
    const { holdfast, clock, api } = started
    const { scrub } = holdfast.server.deps.store
    const { trash } = holdfast
    const replaced = await api.upload('replaced', 'first')
    await api.replace(replaced.id, 'second')
    const gone = await api.upload('gone', 'content of gone')
    const { folderId } = await api.upload('deep', 'content of deep', 'folder/sub')
    await trash.put({ fileIds: [gone.id] })
    await trash.put({ folderIds: [(await api.browse()).folders[0]?.id ?? ''] })
    const held = (name: string) =>
      new Bun.Glob(`**/${name}`).scanSync(join(holdfast.dataPath, 'trash')).next().value ?? ''
    const [version = ''] = readdirSync(join(holdfast.dataPath, 'versions'))
    flip(join(holdfast.dataPath, 'versions', version))
    flip(join(holdfast.dataPath, 'trash', held('folder/sub/deep')))
    rmSync(join(holdfast.dataPath, 'trash', held('gone')))
    expect(folderId).not.toBe('')

    await started.pass(20)
    await started.pass(15)

    const alerts = async () => integrityOf(await api.data<Stats>('GET', '/stats'))
    expect(await alerts()).toEqual([
      { type: 'integrity', count: 3, latest: expect.any(String), trash: 2, versions: 1 },
    ])
    const messages = holdfast.logged.map(({ message }) => message)
    expect(messages).toContain(
      `A version of a file is not what it was: "versions/${version}": content differs`,
    )
    expect(messages).toContain(
      `A file in the trash is not what it was: "trash/${held('folder/sub/deep')}": content differs`,
    )
    expect(
      messages.filter((message) => /^A file in the trash .*gone": bytes are missing$/.test(message)),
    ).toHaveLength(1)

    flip(join(holdfast.dataPath, 'versions', version))
    await trash.remove(gone.id)
    clock.advance(DAY_MS)
    await scrub.lookAgain()
    expect(await alerts()).toEqual([{ type: 'integrity', count: 1, latest: expect.any(String), trash: 1 }])
    await trash.empty()
    expect(await alerts()).toEqual([])
  })

  test('does not report a file of the trash that is being removed', async () => {
    await using started = await start()
    const { holdfast, api } = started
    const { id } = await api.upload('gone', 'content of gone')
    await holdfast.trash.put({ fileIds: [id] })
    const database = join(holdfast.dataPath, 'db', 'holdfast.sqlite')
    const beside = openCatalog({ path: database, onUnknownOutcome: () => {} })
    await beside.transact(() => beside.trash.startPurge(id))
    beside.close()
    const [held = ''] = new Bun.Glob('**/gone').scanSync(join(holdfast.dataPath, 'trash'))
    rmSync(join(holdfast.dataPath, 'trash', held))

    await started.pass(35)

    expect(holdfast.logged.filter(({ message }) => message.includes('is not what it was'))).toEqual([])
  })

  test('its alert is shown to callers with files:read', async () => {
    await using started = await start()
    const { holdfast, api } = started
    await api.upload('gone', 'x')
    rmSync(holdfast.path('gone'))
    await started.pass(30)
    const writer = await holdfast.addUser('custom', ['files:write'])

    const stats = await writer.api.data<Stats>('GET', '/stats')

    expect(integrityOf(stats)).toEqual([])
    expect(integrityOf(await api.data<Stats>('GET', '/stats'))).toHaveLength(1)
  })

  test('forgets a problem when the file is well again, or deleted', async () => {
    await using started = await start()
    const { holdfast, api } = started
    await api.upload('healed', 'healed')
    const { id } = await api.upload('deleted', 'deleted')
    for (const name of ['healed', 'deleted']) rmSync(holdfast.path(name))
    await started.pass(30)
    expect(started.problems()).toHaveLength(2)

    writeFileSync(holdfast.path('healed'), 'healed')
    await holdfast.server.deps.store.scrub.lookAgain()
    await api.data('DELETE', '/files', { id })

    expect(started.problems()).toEqual([])
    expect(integrityOf(await api.data<Stats>('GET', '/stats'))).toEqual([])
  })

  test('takes thirty days for all files, a part every day', async () => {
    await using started = await start()
    const { holdfast, api } = started
    for (let n = 0; n < 30; n++) await api.upload(`file ${n}`, 'x')
    for (let n = 0; n < 30; n++) rmSync(holdfast.path(`file ${n}`))

    await started.pass(10)
    expect(started.problems().length).toBeWithin(9, 12)
    await started.pass(10)
    expect(started.problems().length).toBeWithin(19, 22)
    await started.pass(10)
    expect(started.problems()).toHaveLength(30)
  })

  test('takes as many days as SCRUB_DAYS says, and with 0 it does not take place', async () => {
    await using daily = await start({ SCRUB_DAYS: '1' })
    await using off = await start({ SCRUB_DAYS: '0' })
    for (const { holdfast, api } of [daily, off]) {
      await api.upload('gone', 'x')
      rmSync(holdfast.path('gone'))
    }

    await daily.pass(1)
    await off.pass(100)

    expect(daily.problems()).toHaveLength(1)
    expect(off.problems()).toEqual([])
  })

  test('continues at its position after a restart', async () => {
    await using first = await start()
    for (let n = 0; n < 10; n++) await first.api.upload(`file ${n}`, 'x')
    for (let n = 0; n < 10; n++) rmSync(first.holdfast.path(`file ${n}`))
    await first.pass(15)
    const found = first.problems().length
    expect(found).toBeWithin(4, 7)
    await first.holdfast.stop()

    await using second = await start({}, first.holdfast)
    await second.pass(15)

    expect(second.problems()).toHaveLength(10)
  })

  test('finds nothing wrong with files that are moved, renamed and deleted all the while', async () => {
    await using started = await start({ SCRUB_DAYS: '1' })
    const { api } = started
    const files = []
    for (let n = 0; n < 20; n++) files.push(await api.upload(`file ${n}`, 'x'.repeat(n * 1000), 'from'))
    let done = false
    const changing = (async () => {
      for (let n = 0; !done; n++) {
        const { folders } = await api.browse()
        await api.data('PUT', '/folders', { id: folders[0]?.id, name: `folder ${n}` })
        const { id } = files[n % files.length] ?? { id: '' }
        await api.data('PUT', '/files', { id, name: `renamed ${n}` })
      }
    })()

    for (let n = 0; n < 5; n++) await started.pass(1)
    done = true
    await changing

    expect(started.problems()).toEqual([])
  })

  test('records nothing of a file that moves while it is read, and looks at it again later', async () => {
    await using started = await start({ SCRUB_DAYS: '1' })
    const { holdfast, api } = started
    // Read at 8 MiB a second, it takes half a second.
    const { id } = await api.upload('before', 'x'.repeat(4 * 1024 ** 2))
    flip(holdfast.path('before'))

    const checking = started.pass(1)
    await api.data('PUT', '/files', { id, name: 'after' })
    await checking
    expect(started.problems()).toEqual([])

    // The first pass comes to the end of all files, the next begins again.
    for (let n = 0; n < 2; n += 1) await started.pass(1)
    expect(started.problems()).toEqual(['content differs'])
  })

  test('does not keep a server from stopping in the middle of a large file', async () => {
    await using started = await start({ SCRUB_DAYS: '1' })
    await started.api.upload('large', 'x'.repeat(64 * 1024 ** 2))
    const checking = started.pass(1)

    await started.holdfast.stop()
    await checking

    expect(started.holdfast.logged.filter(({ error }) => error)).toEqual([])
  })
})
