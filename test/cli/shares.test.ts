import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Share } from '../../src/client/types.ts'
import { withHoldfast } from '../support/fixture.ts'
import { createPerson, withPerson } from './run.ts'

const holdfast = withHoldfast()
const { api } = holdfast
const person = withPerson(holdfast)

const shares = async () => (await api.data<{ shares: Share[] }>('GET', '/shares')).shares

describe('share', () => {
  test('prints a link to files and folders, with their rules', async () => {
    const file = await api.upload('map.png', 'map', 'walks')
    await api.upload('notes.txt', 'notes')

    const [link = ''] = await person.lines(
      ...['share', 'walks/map.png', 'walks', '--expires', '7d', '--downloads', '3', '--title', 'A walk'],
    )

    expect(link).toMatch(new RegExp(`^${holdfast.url}/?s/[A-Za-z0-9]{12}$`))
    const items = [
      { fileId: file.id, name: 'map.png', mimeType: 'image/png', size: 3 },
      { folderId: file.folderId, name: 'walks' },
    ]
    expect((await shares())[0]).toMatchObject({
      title: 'A walk',
      maxDownloads: 3,
      hasPassword: false,
      expiresAt: expect.any(String),
      items: expect.arrayContaining(items),
    })
    expect(await (await fetch(link)).text()).toContain('map.png')
  })

  test('reads the password from standard input', async () => {
    await api.upload('secret.txt', 'secret')

    const password = 'low tide at noon'
    const { stdout, exitCode } = await person.pipe(`${password}\n`, 'share', 'secret.txt', '--password')

    expect(exitCode).toBe(0)
    const slug = stdout.trim().split('/').at(-1)
    expect(await api.status('POST', `/s/${slug}/open`, { password })).toBe(200)
    expect(await api.status('POST', `/s/${slug}/open`, { password: 'high tide at noon' })).toBe(401)
  })

  test('draws a QR code on standard error and prints the link alone', async () => {
    await api.upload('code.txt', 'code')

    const { stdout, stderr } = await person.run('share', 'code.txt', '--qr', '--slug', 'my-code')

    expect(stdout).toEndWith('/s/my-code\n')
    expect(stdout.trim()).not.toContain('\n')
    expect(stderr.trim().split('\n').length).toBeGreaterThan(12)
    expect(stderr).toStartWith('█▀▀▀▀▀▀▀█')
  })

  test('shares nothing when one of the keys does not exist', async () => {
    await api.upload('there.txt', 'there')
    const before = (await shares()).length

    const ended = await person.run('share', 'there.txt', 'missing.txt')

    const stderr = 'holdfast: There is no file or folder "missing.txt"\n'
    expect(ended).toMatchObject({ exitCode: 1, stderr })
    expect((await shares()).length).toBe(before)
  })
})

describe('get of a link', () => {
  const local = (name: string) => join(person.folder, name)

  test('downloads the only file under its name, and several as an archive under the slug', async () => {
    await api.upload('map.png', 'a map', 'visit')
    await api.upload('text.txt', 'text', 'visit')
    const [one = ''] = await person.lines('share', 'visit/map.png')
    const [all = ''] = await person.lines('share', 'visit', '--slug', 'all-of-it')
    using visitor = createPerson()

    expect(await visitor.lines('get', one)).toEqual(['map.png'])
    expect((await visitor.run('get', one, '-')).stdout).toBe('a map')
    expect(await visitor.lines('get', all)).toEqual(['all-of-it.zip'])

    expect(readFileSync(join(visitor.folder, 'all-of-it.zip')).subarray(0, 2).toString()).toBe('PK')
    const never = await visitor.run('get', `${one}x`)
    expect(never).toMatchObject({ exitCode: 1, stderr: 'holdfast: Share not found\n' })
  })

  test('replaces a file that exists only if it is named', async () => {
    await api.upload('taken.txt', 'new', 'visit')
    const [link = ''] = await person.lines('share', 'visit/taken.txt')
    writeFileSync(local('taken.txt'), 'old')

    const refused = await person.run('get', link, '--force')
    expect(refused.stderr).toBe('holdfast: "taken.txt" already exists: name the file to replace\n')
    expect(readFileSync(local('taken.txt'), 'utf8')).toBe('old')

    await person.lines('get', link, 'taken.txt', '--force')
    expect(readFileSync(local('taken.txt'), 'utf8')).toBe('new')
  })

  test('takes no name from the share that is hidden or leads elsewhere', async () => {
    await api.upload('.bashrc', 'evil', 'visit')
    const [link = ''] = await person.lines('share', 'visit/.bashrc', '--slug', 'hidden-name')

    expect(await person.lines('get', link)).toEqual(['hidden-name'])
  })

  test('sends the password from standard input, and reports a wrong one and none', async () => {
    await api.upload('locked.txt', 'locked', 'visit')
    const { stdout } = await person.pipe('low tide at noon', 'share', 'visit/locked.txt', '--password')
    const link = stdout.trim()

    expect((await person.run('get', link)).stderr).toContain('The share has a password')
    expect((await person.pipe('high tide', 'get', link)).stderr).toBe('holdfast: Wrong password\n')
    expect((await person.pipe('low tide at noon\n', 'get', link, '-')).stdout).toBe('locked')
  })

  test('of a drop box that shows nothing is refused', async () => {
    const [link = ''] = await person.lines('dropbox', 'visit-box')

    expect((await person.run('get', link)).stderr).toBe('holdfast: This share only receives files\n')
  })
})

describe('dropbox', () => {
  test('creates the folder and prints a link that takes files', async () => {
    const [link = ''] = await person.lines(
      ...['dropbox', 'inbox/new', '--files', '2', '--size', '1MiB', '--types', 'image/*,.pdf', '.txt'],
    )

    const body = new FormData()
    body.append('files', new File(['from a visitor'], 'letter.txt'))
    const address = link.replace('/s/', '/api/s/').concat('/files')
    expect((await fetch(address, { method: 'POST', body })).status).toBe(200)
    const types = ['image/*', '.pdf', '.txt']
    const rules = { canRead: false, canWrite: true, maxFiles: 2, maxBytes: 1024 ** 2, types }
    expect((await shares())[0]).toMatchObject({ ...rules, receivedFiles: 1 })
    expect((await api.browse({ key: 'inbox/new' })).files.map(({ name }) => name)).toEqual(['letter.txt'])
  })

  test('refuses the root, and sizes without a unit that it knows', async () => {
    expect(await person.run('dropbox', '/')).toMatchObject({ exitCode: 2 })
    expect(await person.run('dropbox', 'inbox', '--size', '3 GB')).toMatchObject({ exitCode: 2 })
  })
})

describe('shares and unshare', () => {
  test('list shares with their rules, and end them by link or name', async () => {
    await api.upload('listed.txt', 'listed')
    const [link = ''] = await person.lines('share', 'listed.txt', '--slug', 'listed', '--downloads', '1')
    await person.lines('share', 'listed.txt', '--slug', 'listed-too', '--title', 'Second')

    const [newest, next] = await person.lines('shares')
    const [asJson = ''] = await person.lines('shares', '--json')

    expect(newest).toBe(`${link}-too  Second; 0 downloads`)
    expect(next).toBe(`${link}  listed.txt; 0 of 1 download`)
    expect(JSON.parse(asJson)).toMatchObject({ slug: 'listed-too' })
    expect(await person.run('unshare', link, 'no-such')).toMatchObject({ exitCode: 1 })
    expect((await fetch(link)).status).toBe(200)
    expect(await person.run('unshare', link, 'listed-too')).toMatchObject({ exitCode: 0 })
    expect((await fetch(link)).status).toBe(404)
    expect((await shares()).map(({ slug }) => slug)).not.toContain('listed-too')
  })
})
