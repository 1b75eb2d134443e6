import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import { addGuest, EDITING, type Right } from '../rights/limited.ts'
import { withHoldfast } from '../support/fixture.ts'
import { createKey } from '../support/holdfast.ts'
import { createPersonAt, type Person } from './run.ts'

const holdfast = withHoldfast()
const { api } = holdfast

const SCOPES = ['files:read', 'files:write', 'files:delete']

/** Returns an API key of a new account that reaches only these folders, by their keys. */
async function keyOfGuest(folders: Record<string, readonly Right[]>): Promise<string> {
  const { cookie } = await addGuest(holdfast, folders)
  return createKey(holdfast, cookie, { name: 'guest', scopes: SCOPES })
}

/** Returns an API key of the first account for one folder, which is created. */
async function keyFor(folder: string): Promise<string> {
  const { id } = await api.createFolder(folder)
  return createKey(holdfast, holdfast.cookie, { name: folder, scopes: SCOPES, folderId: id })
}

const personWith = (key: string) => createPersonAt(holdfast, { key })

/** Writes local files below a person's folder. */
function write({ folder }: Person, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
}

const keys = async (folder: string) => Object.keys(await api.checksums(folder)).sort()

const CALLERS: [string, string, (folder: string) => Promise<string>][] = [
  ['a limited account', 'one/acme/bills', (folder) => keyOfGuest({ [folder]: EDITING })],
  ['a key for one folder', 'two/acme/bills', keyFor],
]

describe.each(CALLERS)('with %s, the command', (_, folder, makeKey) => {
  const [top = ''] = folder.split('/')
  let person: Person
  beforeAll(async () => {
    await api.createFolder(`${top}/acme/secret`)
    await api.upload('hidden.txt', 'hidden', `${top}/bills`)
    person = personWith(await makeKey(folder))
  })
  beforeEach(() => rmSync(join(person.folder, 'dir'), { recursive: true, force: true }))

  test('whoami prints the folder', async () => {
    const [account, ...folders] = await person.lines('whoami')

    expect(account).toContain(' at http')
    expect(folders).toEqual([expect.stringMatching(new RegExp(`^${folder}/: read, write, delete`))])
  })

  test('ls shows only the folder in those above it, by its path', async () => {
    expect(await person.lines('ls')).toEqual([`${folder}/`])
    expect(await person.lines('ls', top)).toEqual(['acme/bills/'])
    expect(await person.lines('ls', `${top}/acme`, '--long')).toEqual([expect.stringMatching(/^ +bills\/$/)])
    for (const outside of [`${top}/bills`, `${top}/acme/secret`, `${top}/missing`])
      expect(await person.run('ls', outside)).toMatchObject({ exitCode: 1, stdout: '' })
  })

  test('put without a target uploads to the folder, also to replace a file', async () => {
    write(person, { 'a.txt': 'first' })
    await person.lines('put', 'a.txt')
    write(person, { 'a.txt': 'second' })

    const [address] = await person.lines('put', 'a.txt', '--replace')

    expect(address).toBe(`${holdfast.url}/api/hosting/${folder}/a.txt`)
    expect(await person.lines('get', `${folder}/a.txt`, '-')).toEqual(['second'])
  })

  test('get downloads files and folders inside, and nothing outside', async () => {
    await api.upload('got.txt', 'got', `${folder}/deep`)

    expect(await person.lines('get', `${folder}/deep/got.txt`)).toEqual(['got.txt'])
    expect(await person.lines('get', folder)).toEqual(['bills.zip'])
    expect(readFileSync(join(person.folder, 'got.txt'), 'utf8')).toBe('got')
    expect((await person.run('get', `${top}/bills/hidden.txt`)).stderr).toContain(
      'There is no file or folder',
    )
    for (const above of [top, `${top}/acme`]) {
      expect(await person.lines('get', above, 'above.zip', '--force')).toEqual(['above.zip'])
      const names = Object.keys(unzipSync(readFileSync(join(person.folder, 'above.zip'))))
      expect(names).toContain(`${folder}/deep/got.txt`)
      expect(names.filter((name) => !name.startsWith(`${folder}/`))).toEqual([])
    }
    // A folder of that name is elsewhere.
    expect((await person.run('get', 'bills')).stderr).toContain('There is no file or folder "bills"')
  })

  test('sync sends to the folder, also when the target is the root', async () => {
    write(person, { 'dir/synced/b.txt': 'b' })
    await person.lines('sync', 'dir', '')
    write(person, { 'dir/synced/c.txt': 'c' })

    expect(await person.lines('sync', 'dir', '/')).toEqual(['add synced/c.txt'])
    expect(await person.lines('sync', 'dir/synced', `${folder}/synced`)).toEqual([])
    expect(await keys(`${folder}/synced`)).toEqual([`${folder}/synced/b.txt`, `${folder}/synced/c.txt`])
  })

  test('search finds only what is inside', async () => {
    await api.upload('hidden bill.txt', 'x', `${folder}/found`)

    expect(await person.lines('search', 'hidden')).toEqual([`${folder}/found/hidden bill.txt`])
    expect(await person.lines('search', 'hidden', '--folder', `${folder}/found`)).toHaveLength(1)
    expect((await person.run('search', 'hidden', '--folder', `${top}/bills`)).exitCode).toBe(1)
  })

  test('mkdir, cp, mv, rm and trash work inside', async () => {
    await api.upload('x.txt', 'x', `${folder}/work`)
    await person.lines('mkdir', `${folder}/new`)
    await person.lines('cp', `${folder}/work/x.txt`, `${folder}/new/y.txt`)
    await person.lines('mv', `${folder}/work/x.txt`, `${folder}/new/`)
    await person.lines('rm', '-r', `${folder}/work`)
    await person.lines('rm', `${folder}/new/x.txt`)
    const deleted = [`  ${folder}/new/x.txt`, `  ${folder}/work/`]
    expect((await person.lines('trash', 'ls')).map((line) => line.slice(24))).toEqual(deleted)

    expect(await person.lines('trash', 'restore', `${folder}/new/x.txt`)).toEqual([`${folder}/new/x.txt`])
    expect(await keys(`${folder}/new`)).toEqual([`${folder}/new/x.txt`, `${folder}/new/y.txt`])
  })

  test('deploy replaces the folder from inside, and its people and API keys keep the place', async () => {
    const site = folder.replace('bills', 'site')
    using builder = personWith(await makeKey(site))
    for (const version of ['1', '2']) {
      rmSync(join(builder.folder, 'dir'), { recursive: true, force: true })
      write(builder, { 'dir/index.html': version, [`dir/${version}.css`]: '' })
      await builder.lines('deploy', 'dir', '--folder', site, '--private')
    }

    expect(await keys(site)).toEqual([`${site}/2.css`, `${site}/index.html`])
    expect(await builder.lines('ls', site)).toEqual(['2.css', 'index.html'])
    expect(await builder.lines('ls')).toEqual([`${site}/`])
    const back = ['deploy', '--rollback', '--folder', site] as const
    for (const version of ['1', '2', '1']) {
      await builder.lines(...back)
      expect(await builder.lines('ls', site)).toEqual([`${version}.css`, 'index.html'])
    }
  })

  test('deploy moves what an interrupted deployment left in the folder to the trash', async () => {
    const site = folder.replace('bills', 'cut')
    using builder = personWith(await makeKey(site))
    await api.upload('index.html', 'half', `${site}/.arriving`)
    write(builder, { 'dir/index.html': 'whole' })

    await builder.lines('deploy', 'dir', '--folder', site, '--private')

    expect(await builder.lines('get', `${site}/index.html`, '-')).toEqual(['whole'])
    expect(await keys(site)).toEqual([`${site}/index.html`])
  })

  test.each([
    `mkdir ${top}/acme/new`,
    `cp ${folder}/kept/local.txt ${top}/acme/`,
    `mv ${folder}/kept/local.txt /`,
    `mv ${folder} ${top}/moved`,
    `rm -r ${folder}`,
    `rm -r ${top}`,
    `put --folder ${top} local.txt`,
  ])('%s changes nothing outside', async (words) => {
    write(person, { 'local.txt': 'local' })
    await person.run('put', 'local.txt', '--folder', `${folder}/kept`)
    const before = await keys('')

    const { exitCode, stderr } = await person.run(...words.split(' '))

    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^holdfast: .+\n$/)])
    expect(await keys('')).toEqual(before)
  })
})

describe('with an account that is limited to several folders', () => {
  test('whoami and ls print all, and put and sync need a target', async () => {
    const folders = { 'many/a': EDITING, 'many/b': EDITING } as const
    using person = personWith(
      await keyOfGuest({ ...folders, 'many/c': ['read'], 'many/c/d': ['read', 'write'] }),
    )
    write(person, { 'a.txt': 'a' })
    const reason = 'Name a folder: you can add files to "many/a", "many/b", "many/c/d"\n'
    const [asked, put] = [`holdfast: ${reason}`, `holdfast: a.txt: ${reason}`]

    expect(await person.run('put', 'a.txt')).toEqual({ exitCode: 1, stdout: '', stderr: put })
    expect(await person.run('put', 'a.txt', '--replace')).toMatchObject({ exitCode: 1, stderr: asked })
    expect(await person.run('sync', '.', '/')).toEqual({ exitCode: 1, stdout: '', stderr: asked })
    expect((await person.lines('whoami')).slice(1)).toEqual([
      'many/a/: read, write, delete',
      'many/b/: read, write, delete',
      'many/c/: read',
      'many/c/d/: read, write',
    ])
    expect(await person.lines('ls')).toEqual(['many/a/', 'many/b/', 'many/c/'])
    expect(await person.lines('put', 'a.txt', '--folder', 'many/b')).toHaveLength(1)
  })

  test('put without a target uploads to the only one that it can change', async () => {
    using person = personWith(
      await keyOfGuest({
        'single/shown': ['read'],
        'single/shown/open': EDITING,
        'single/shown/open/in': ['read', 'share'],
      }),
    )
    write(person, { 'a.txt': 'a' })

    await person.lines('put', 'a.txt')

    expect(await keys('single')).toContain('single/shown/open/a.txt')
  })

  test('a copy or moved file whose name is taken remains where it may not be deleted, and the command says so', async () => {
    using person = personWith(await keyOfGuest({ 'taken/from': EDITING, 'taken/to': ['read', 'write'] }))
    for (const [name, folder] of [
      ['a.txt', 'from'],
      ['c.txt', 'from'],
      ['b.txt', 'to'],
    ] as const)
      await api.upload(name, name, `taken/${folder}`)
    const copied = await person.run('cp', 'taken/from/a.txt', 'taken/to/b.txt')
    const moved = await person.run('mv', 'taken/from/c.txt', 'taken/to/a.txt')

    const taken = (name: string) => `holdfast: A file named "${name}" exists in this folder already\n`
    expect(copied.stderr).toBe(`The copy remains at "taken/to/a.txt"\n${taken('b.txt')}`)
    expect(moved.stderr).toBe(`"c.txt" remains in "taken/to"\n${taken('a.txt')}`)
  })
})

test('deploy arrives beside the site where the caller may change the folder above', async () => {
  using person = personWith(await keyOfGuest({ web: ['read'], 'web/sites': EDITING }))
  for (const version of ['1', '2']) {
    write(person, { 'dir/index.html': version })
    await person.lines('deploy', 'dir', '--folder', 'web/sites/own', '--private')
  }

  expect(await person.lines('trash', 'ls')).toHaveLength(1)
  await person.lines('deploy', '--rollback', '--folder', 'web/sites/own')

  expect(await person.lines('get', 'web/sites/own/index.html', '-')).toEqual(['1'])
  expect(await person.lines('ls', 'web/sites')).toEqual(['own/'])
})

test('with an account that is let into no folder, whoami and put say so, and ls prints nothing', async () => {
  using person = personWith(await keyOfGuest({}))
  write(person, { 'a.txt': 'a' })

  expect((await person.run('whoami')).stderr).toContain('It reaches no folder yet')
  expect((await person.run('put', 'a.txt')).stderr).toContain('You cannot add files to any folder\n')
  expect(await person.lines('ls')).toEqual([])
})
