import { beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow, LeftOut, type MeasuredFile, measure, sendFiles } from '../../src/cli/tree.ts'
import { createClient } from '../../src/client/index.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { latin1Place } from '../support/latin1.ts'
import { asUnprivileged } from '../support/process.ts'
import { programCommand } from '../support/program.ts'
import { trashOf } from '../support/trash.ts'
import { createPersonAt, withPerson } from './run.ts'

const holdfast = withHoldfast()
const { api } = holdfast
const person = withPerson(holdfast)
const trash = trashOf(api)
beforeEach(() => rmSync(join(person.folder, 'dir'), { recursive: true, force: true }))

/** Writes files below the local folder `dir`. */
function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    const place = join(person.folder, 'dir', path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
}

/** Returns the files below a folder of the server, by key. */
async function stored(folder: string): Promise<Record<string, string | number>> {
  const keys = Object.keys(await api.checksums(folder))
  const contents = await Promise.all(keys.map(async (key) => [key, await api.hosted(key)] as const))
  return Object.fromEntries(contents)
}

describe('sendFiles()', () => {
  test.each([
    ['text', 'page.html'],
    ['a picture', 'picture.jpg'],
  ])('stores %s, and refuses one that changed since it was measured', async (_, name) => {
    write({ [name]: 'before' })
    const client = createClient({ url: holdfast.url, key: holdfast.key })
    const files: MeasuredFile[] = []
    const left = new LeftOut({ warn: () => {} })
    for (const file of filesBelow(join(person.folder, 'dir'), left)) files.push(await measure(file))

    await sendFiles(client, files, { folder: `measured/${name}` })
    write({ [name]: 'AFTER!' })
    const changed = sendFiles(client, files, { folder: `changed/${name}` })

    await expect(changed).rejects.toThrow('A file changed while it was sent. Run the command again.')
    expect(await stored('measured')).toMatchObject({ [`measured/${name}/${name}`]: 'before' })
    await expect(client.folders.folders({ key: `changed/${name}` })).rejects.toMatchObject({ status: 404 })
  })
})

describe('sync', () => {
  test('uploads only new and changed files', async () => {
    write({ 'same.txt': 'same', 'deep/changes.txt': 'before', 'deep/er/gone.txt': 'gone' })
    await person.lines('sync', 'dir', 'sync')
    const before = await api.list({ name: 'same.txt' })
    write({ 'deep/changes.txt': 'after', 'deep/new.txt': 'new' })
    rmSync(join(person.folder, 'dir/deep/er'), { recursive: true })

    const { stdout, stderr, exitCode } = await person.run('sync', 'dir', '/sync/')

    expect(exitCode).toBe(0)
    expect(stdout.split('\n')).toEqual(['add deep/new.txt', 'change deep/changes.txt', ''])
    expect(stderr).toContain('1 added, 1 changed, 0 moved to the trash, 1 the same\n')
    expect(await stored('sync')).toEqual({
      'sync/same.txt': 'same',
      'sync/deep/changes.txt': 'after',
      'sync/deep/new.txt': 'new',
      'sync/deep/er/gone.txt': 'gone',
    })
    expect(await api.list({ name: 'same.txt' })).toEqual(before)
    expect((await api.browse({ key: 'sync' })).folders.map(({ name }) => name)).toEqual(['deep'])
  })

  test('deletes files that exist only on the server with --delete, and lists them with --dry-run', async () => {
    write({ kept: 'kept', dropped: 'dropped' })
    await person.lines('sync', 'dir', 'deletes')
    rmSync(join(person.folder, 'dir/dropped'))

    const dry = await person.run('sync', 'dir', 'deletes', '--delete', '--dry-run')
    expect(dry).toMatchObject({ exitCode: 0, stdout: 'delete dropped\n' })
    expect(await stored('deletes')).toEqual({ 'deletes/dropped': 'dropped', 'deletes/kept': 'kept' })

    await person.lines('sync', 'dir', 'deletes', '--delete')
    expect(await stored('deletes')).toEqual({ 'deletes/kept': 'kept' })
    expect(await person.lines('trash', 'restore', 'deletes/dropped')).toEqual(['deletes/dropped'])

    const ended = await person.run('sync', 'dir', 'deletes', '--delete', '--permanent')
    expect(ended.stderr).toContain('1 deleted permanently, 1 the same\n')
    expect((await trash.list('?search=deletes/dropped')).items).toEqual([])
  })

  test('--delete into the root is refused without --yes-delete-everything', async () => {
    write({ 'a.jpg': 'a' })
    await api.upload('precious', 'kept', 'root-delete')

    for (const root of ['', '/', '//']) {
      const { exitCode, stderr, stdout } = await person.run('sync', 'dir', root, '--delete')
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr).toContain('--yes-delete-everything')
    }

    expect(await stored('root-delete')).toEqual({ 'root-delete/precious': 'kept' })
  })

  test('--delete into the root lists deletions with --dry-run, and makes them with --yes-delete-everything', async () => {
    await using own = await startWithAccount()
    const ownApi = own.api
    using visitor = createPersonAt(own, own)
    await ownApi.upload('precious', 'x', 'important')
    mkdirSync(join(visitor.folder, 'dir'))
    writeFileSync(join(visitor.folder, 'dir/a.jpg'), 'a')

    const dry = await visitor.lines('sync', 'dir', '', '--delete', '--dry-run')
    expect(dry).toEqual(['add a.jpg', 'delete important/precious'])
    expect(Object.keys(await ownApi.checksums(''))).toEqual(['important/precious'])

    await visitor.lines('sync', 'dir', '', '--delete', '--yes-delete-everything')
    expect(Object.keys(await ownApi.checksums(''))).toEqual(['a.jpg'])
  })

  test('with --delete converges when a file takes the place of a folder', async () => {
    write({ 'x/f/a': 'a', 'x/f/deep/b': 'b', 'x/kept': 'kept' })
    await person.lines('sync', 'dir', 'file-for-folder')
    rmSync(join(person.folder, 'dir/x/f'), { recursive: true })
    write({ 'x/f': 'now a file' })

    const kept = await person.run('sync', 'dir', 'file-for-folder')
    expect(kept).toMatchObject({ exitCode: 1, stdout: '' })
    expect(kept.stderr).toContain('"file-for-folder/x/f/a" is in the way of a new file or folder; --delete')

    const lines = await person.lines('sync', 'dir', 'file-for-folder', '--delete')
    expect(lines.sort()).toEqual(['add x/f', 'delete x/f/a', 'delete x/f/deep/b'])
    const there = { 'file-for-folder/x/f': 'now a file', 'file-for-folder/x/kept': 'kept' }
    expect(await stored('file-for-folder')).toEqual(there)
    expect(await person.lines('sync', 'dir', 'file-for-folder', '--delete')).toEqual([])
  })

  test('with --delete converges when a folder takes the place of a file', async () => {
    write({ 'x/f': 'a file' })
    await person.lines('sync', 'dir', 'folder-for-file')
    rmSync(join(person.folder, 'dir/x/f'))
    write({ 'x/f/deep/a': 'a' })

    await person.lines('sync', 'dir', 'folder-for-file', '--delete')

    expect(await stored('folder-for-file')).toEqual({ 'folder-for-file/x/f/deep/a': 'a' })
  })

  test('with --delete replaces a folder without files by a file', async () => {
    write({ f: 'a file', other: 'other' })
    await api.createFolder('file-for-empty/f/below')

    const refused = await person.run('sync', 'dir', 'file-for-empty')
    expect(refused.exitCode).toBe(1)
    await person.lines('sync', 'dir', 'file-for-empty', '--delete')

    const there = { 'file-for-empty/f': 'a file', 'file-for-empty/other': 'other' }
    expect(await stored('file-for-empty')).toEqual(there)
  })

  test('keeps the visibility of a file that changed', async () => {
    write({ open: '1', secret: '1' })
    await person.lines('sync', 'dir', 'seen', '--private')
    const { files } = await api.browse({ key: 'seen' })
    const id = files.find(({ name }) => name === 'open')?.id
    await api.data('PUT', '/files', { id, visibility: 'public' })
    write({ open: '2', secret: '2' })

    await person.lines('sync', 'dir', 'seen')

    expect(await stored('seen')).toEqual({ 'seen/open': '2', 'seen/secret': 404 })
  })

  test('replaces a changed file, which keeps its id and its signed links', async () => {
    write({ 'deep/a': 'old', b: 'old' })
    await person.lines('sync', 'dir', 'linked', '--private')
    const [before] = (await api.browse({ key: 'linked/deep' })).files
    const { url } = await api.data<{ url: string }>('POST', '/files/sign', { key: 'linked/deep/a' })
    write({ 'deep/a': 'new', b: 'newer' })

    await person.lines('sync', 'dir', 'linked')

    const [after] = (await api.browse({ key: 'linked/deep' })).files
    expect(after).toMatchObject({ id: before?.id, createdAt: before?.createdAt, visibility: 'private' })
    expect(await (await holdfast.fetch(`/${url}`)).text()).toBe('new')
    expect((await api.browse({ key: 'linked' })).folders.map(({ name }) => name)).toEqual(['deep'])
  })

  test('keeps the old file when the new bytes were damaged on the way', async () => {
    write({ precious: 'old' })
    await person.lines('sync', 'dir', 'unlucky')
    write({ precious: 'new' })
    using meddler = Bun.serve({
      port: 0,
      fetch: ({ url, method, headers, body }) => {
        const { pathname, search } = new URL(url)
        const passed = { method, headers, body: method === 'PUT' ? 'nex' : body }
        return fetch(`${holdfast.url}${pathname}${search}`, passed)
      },
    })
    using other = createPersonAt(meddler, holdfast)

    const { exitCode, stderr } = await other.run('sync', join(person.folder, 'dir'), 'unlucky')

    expect(exitCode).toBe(1)
    expect(stderr).toContain('The bytes do not have the digest')
    expect(await api.hosted('unlucky/precious')).toBe('old')
    await person.lines('sync', 'dir', 'unlucky')
    expect(await stored('unlucky')).toEqual({ 'unlucky/precious': 'new' })
  })

  test('continues after an interruption, and deletes what only the server has', async () => {
    write({ one: '1', two: '2' })
    await api.upload('one', '1', 'resumed')
    await api.upload('half', 'x', 'resumed/.holdfast-sync')

    const { stdout } = await person.run('sync', 'dir', 'resumed', '--delete')

    expect(stdout).toBe('add two\ndelete .holdfast-sync/half\n')
    expect(await stored('resumed')).toEqual({ 'resumed/one': '1', 'resumed/two': '2' })
  })

  test('a folder named .holdfast-sync is one like any other, on both sides', async () => {
    write({ '.holdfast-sync/here': '1' })
    await api.upload('precious', 'x', 'named/.holdfast-sync')
    const both = { 'named/.holdfast-sync/here': '1', 'named/.holdfast-sync/precious': 'x' }

    const first = await person.run('sync', 'dir', 'named')
    const again = await person.run('sync', 'dir', 'named')

    expect(first.stdout).toBe('add .holdfast-sync/here\n')
    expect(again.stdout).toBe('')
    expect(await stored('named')).toEqual(both)
  })

  test('sends more files than fit into one request', async () => {
    write(Object.fromEntries(Array.from({ length: 520 }, (_, n) => [`${n % 7}/${n}.txt`, String(n)])))

    await person.lines('sync', 'dir', 'many')
    const again = await person.run('sync', 'dir', 'many')

    expect(again.stderr).toContain('0 added, 0 changed, 0 moved to the trash, 520 the same')
  })

  test('skips links with a message, and refuses a folder that does not exist', async () => {
    write({ file: 'x' })
    symlinkSync('file', join(person.folder, 'dir/link'))

    const { stderr, exitCode } = await person.run('sync', 'dir', 'links')
    expect(exitCode).toBe(0)
    expect(stderr).toContain('holdfast: dir/link: skipped, because it is not a file\n')

    const missing = await person.run('sync', 'nowhere', 'links')
    expect(missing.stderr).toBe('holdfast: There is no folder "nowhere"\n')
  })
})

/** Puts entries that no server accepts into `dir`, beside one whose text is the same. */
function writeOddNames(): void {
  write({ 'fine.txt': 'fine', 'back\\slash': 'x', 'caf\ufffd.txt': 'twin' })
  const dir = join(person.folder, 'dir')
  writeFileSync(latin1Place(dir, 'caf\xe9.txt'), 'not text')
  mkdirSync(latin1Place(dir, 'd\xe9'))
  writeFileSync(latin1Place(dir, 'd\xe9/below.txt'), 'below')
}

const ODD_NAMES = [
  'holdfast: dir/back\\slash: left out: its name must not contain "/", "\\" or control characters\n',
  'holdfast: dir/caf\\xe9.txt: left out: its name is not UTF-8\n',
  'holdfast: dir/d\\xe9: left out: its name is not UTF-8\n',
]

test('sync leaves out what it may not read, and deletes none of it on the server', async () => {
  write({ 'a.txt': '1', 'closed/deep/b.txt': '1', 'secret.txt': '1', 'z.txt': '1' })
  await person.lines('sync', 'dir', 'unread')
  write({ 'a.txt': '2' })
  const dir = join(person.folder, 'dir')
  rmSync(join(dir, 'z.txt'))
  for (const path of [person.folder, dir]) chmodSync(path, 0o755)
  for (const name of ['closed', 'secret.txt']) chmodSync(join(dir, name), 0)

  const child = Bun.spawn([...asUnprivileged(), ...programCommand(), 'sync', dir, 'unread', '--delete'], {
    env: person.environment,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  chmodSync(join(dir, 'closed'), 0o755)

  expect([await child.exited, stdout]).toEqual([1, 'change a.txt\ndelete z.txt\n'])
  for (const name of ['closed', 'secret.txt'])
    expect(stderr).toContain(`holdfast: ${join(dir, name)}: left out: cannot be read\n`)
  expect(stderr).toContain('0 added, 1 changed, 1 moved to the trash, 0 the same, 2 left out\n')
  expect(await stored('unread')).toEqual({
    'unread/a.txt': '2',
    'unread/closed/deep/b.txt': '1',
    'unread/secret.txt': '1',
  })
})

describe('names that no server accepts', () => {
  test.each([
    [
      'sync',
      ['sync', 'dir', 'odd-sync', '--delete'],
      '2 added, 0 changed, 0 moved to the trash, 0 the same, 3 left out\n',
    ],
    ['deploy', ['deploy', 'dir', '--folder', 'odd-deploy'], 'Deployed 2 files to "odd-deploy", 3 left out\n'],
  ])('%s leaves them out by name, sends the rest and fails', async (command, words, summary) => {
    writeOddNames()

    const { exitCode, stderr } = await person.run(...words)

    expect(exitCode).toBe(1)
    for (const line of [...ODD_NAMES, summary]) expect(stderr).toContain(line)
    const folder = `odd-${command}`
    expect(await stored(folder)).toEqual({
      [`${folder}/caf\ufffd.txt`]: 'twin',
      [`${folder}/fine.txt`]: 'fine',
    })
    expect((await api.browse({ key: folder })).folders).toEqual([])
  })

  test('put leaves them out by name, sends the rest and fails', async () => {
    writeOddNames()
    rmSync(join(person.folder, 'dir/caf\ufffd.txt'))
    const paths = ['dir/back\\slash', 'dir/caf\ufffd.txt', 'dir/d\ufffd/below.txt', 'dir/fine.txt']

    const { exitCode, stdout, stderr } = await person.run('put', ...paths, '--folder', 'odd-put')

    expect(exitCode).toBe(1)
    expect(stdout).toBe(`${holdfast.url}/api/hosting/odd-put/fine.txt\n`)
    expect(stderr.split('\n').filter((line) => line.includes('left out'))).toHaveLength(3)
    expect(stderr).toContain('holdfast: dir/caf\ufffd.txt: left out: its name is not UTF-8\n')
  })
})

describe('deploy', () => {
  test('replaces a website', async () => {
    write({ 'index.html': '<h1>1', 'old.css': 'old', 'deep/page.html': 'page' })
    const [url] = await person.lines('deploy', 'dir', '--folder', 'www/site')
    expect(url).toBe(`${holdfast.url}/api/hosting/www/site/index.html`)
    rmSync(join(person.folder, 'dir/old.css'))
    write({ 'index.html': '<h1>2' })

    await person.lines('deploy', 'dir', '--folder', 'www/site')

    expect(await stored('www')).toEqual({ 'www/site/index.html': '<h1>2', 'www/site/deep/page.html': 'page' })
    expect((await api.browse({ key: 'www' })).folders.map(({ name }) => name)).toEqual(['site'])
  })

  test('takes the name of the local folder, and is public whatever the default is', async () => {
    write({ 'a.txt': 'a' })

    expect(await person.lines('deploy', 'dir/')).toEqual([`${holdfast.url}/api/hosting/dir`])

    expect(await stored('dir')).toEqual({ 'dir/a.txt': 'a' })
  })

  test('leaves the site unchanged and nothing beside it when it is refused', async () => {
    write({ 'index.html': 'good' })
    await person.lines('deploy', 'dir', '--folder', 'guarded')
    write({ 'index.html': 'bad', ['x'.repeat(250)]: '' })
    const parent = `${'p'.repeat(240)}/`.repeat(15)
    expect((await api.createFolder(`${parent}site`)).id).toBeString()

    const { exitCode, stderr } = await person.run('deploy', 'dir', '--folder', `${parent}${'s'.repeat(240)}`)

    expect(exitCode).toBe(1)
    expect(stderr).toStartWith('holdfast: ')
    expect((await api.browse({ key: parent })).folders.map(({ name }) => name)).toEqual(['site'])
    expect(await stored('guarded')).toEqual({ 'guarded/index.html': 'good' })
  })

  test('moves what an interrupted deployment left to the trash', async () => {
    write({ 'index.html': 'third' })
    await api.upload('index.html', 'first', 'cut')
    await api.upload('index.html', 'second', '.cut.arriving')

    await person.lines('deploy', 'dir', '--folder', 'cut')

    expect(await stored('cut')).toEqual({ 'cut/index.html': 'third' })
    const names = (await api.browse()).folders.map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('.'))).toEqual([])
    const { items } = await trash.list()
    expect(items.map(({ key }) => key)).toContain('.cut.arriving')
  })

  test('of more files than fit into one request is whole, or leaves the site as it is', async () => {
    write(Object.fromEntries(Array.from({ length: 510 }, (_, n) => [`${n % 7}/${n}.txt`, String(n)])))
    await person.lines('deploy', 'dir', '--folder', 'many')
    const whole = await api.checksums('many')
    expect(Object.keys(whole)).toHaveLength(510)

    write({ '0/0.txt': 'changed' })
    let groups = 0
    await using between = Bun.serve({
      port: 0,
      fetch: async ({ url, method, headers, body }) => {
        const { pathname, search } = new URL(url)
        if (pathname.endsWith('/import') && ++groups === 2) {
          const { folders } = await api.browse()
          await trash.put({ folderIds: [folders.find(({ name }) => name === '.many.arriving')?.id ?? ''] })
        }
        return fetch(`${holdfast.url}${pathname}${search}`, { method, headers, body, decompress: false })
      },
    })
    using other = createPersonAt(between, holdfast)
    const { exitCode, stderr } = await other.run('deploy', join(person.folder, 'dir'), '--folder', 'many')
    expect([exitCode, groups]).toEqual([1, 2])
    expect(stderr).toContain('another deployment of this site is running')
    expect(await api.checksums('many')).toEqual(whole)
  })

  test('--rollback returns to the version before, and back again', async () => {
    for (const version of ['1', '2']) {
      write({ 'index.html': version, [`${version}.css`]: '' })
      await person.lines('deploy', 'dir', '--folder', 'www/rolled')
      rmSync(join(person.folder, 'dir'), { recursive: true })
    }

    const first = await person.run('deploy', '--rollback', '--folder', 'www/rolled')
    expect(first.stderr).toStartWith('Returned "www/rolled" to the version that was replaced at 20')
    expect(first.stdout).toBe(`${holdfast.url}/api/hosting/www/rolled/index.html\n`)
    expect(await stored('www/rolled')).toEqual({ 'www/rolled/index.html': '1', 'www/rolled/1.css': '' })

    await person.lines('deploy', 'rolled', '--rollback', '--folder', 'www/rolled')
    expect(await stored('www/rolled')).toEqual({ 'www/rolled/index.html': '2', 'www/rolled/2.css': '' })
  })

  test('--rollback restores a site that was moved to the trash', async () => {
    write({ 'a.txt': 'a' })
    await person.lines('deploy', 'dir', '--folder', 'binned')
    const { folders } = await api.browse()
    const id = folders.find(({ key }) => key === 'binned')?.id
    await api.data('POST', '/trash', { folderIds: [id] })

    await person.lines('deploy', '--rollback', '--folder', 'binned')

    expect(await stored('binned')).toEqual({ 'binned/a.txt': 'a' })
  })

  test('--rollback needs a name and an earlier version', async () => {
    expect(await person.run('deploy', '--rollback')).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await person.run('deploy', '--folder', 'x')).toMatchObject({ exitCode: 2, stdout: '' })
    const stderr = 'holdfast: The trash has no earlier version of "never"\n'
    const never = await person.run('deploy', '--rollback', '--folder', 'never')
    expect(never).toMatchObject({ exitCode: 1, stderr })
  })
})
