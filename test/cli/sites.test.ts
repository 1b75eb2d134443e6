import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Sites } from '../../src/client/types.ts'
import { askingOf } from '../sites/asking.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { createPersonAt, withPerson } from './run.ts'

const holdfast = withHoldfast({ environment: { SITES_DOMAIN: 'sites.test' } })
const { api } = holdfast
const person = withPerson(holdfast)
const ask = (host: string, path: string) => askingOf(holdfast).ask(host, path)
const sites = async () => (await api.data<Sites>('GET', '/sites')).sites
const show = async (name: string, path = '/') => (await ask(`${name}.sites.test`, path)).body.toString()

beforeEach(async () => {
  rmSync(join(person.folder, 'dir'), { recursive: true, force: true })
  for (const { id } of await sites()) await api.data('DELETE', '/sites', { id })
})

/** Writes files below the local folder `dir`. */
function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    const place = join(person.folder, 'dir', path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
}

describe('deploy --site', () => {
  test('makes the site, then replaces what it shows, and returns to the version before', async () => {
    write({ 'index.html': '1' })
    const made = await person.run('deploy', 'dir', '--site', 'www', '--folder', 'web/live', '--spa')
    expect(made).toMatchObject({ exitCode: 0, stdout: 'http://www.sites.test/\n' })
    expect(await sites()).toMatchObject([{ name: 'www', folder: 'web/live', spa: true, domains: [] }])
    expect(await show('www')).toBe('1')

    write({ 'index.html': '2' })
    expect(await person.lines('deploy', 'dir', '--site', 'www')).toEqual(['http://www.sites.test/'])
    expect(await sites()).toMatchObject([{ folder: 'web/live', spa: true }])
    expect(await show('www')).toBe('2')

    await person.lines('deploy', '--rollback', '--site', 'www')
    expect(await show('www')).toBe('1')

    for (const domain of ['www.example.org', 'example.net', 'www.example.org'])
      await person.lines('deploy', 'dir', '--site', 'www', '--domain', domain)
    expect(await sites()).toMatchObject([{ domains: ['www.example.org', 'example.net'] }])
    expect((await ask('example.net', '/')).body.toString()).toBe('2')

    // The folder of a site has its name, because those of build tools have all the same.
    await person.lines('deploy', 'dir', '--site', 'second')
    expect((await sites()).map(({ folder }) => folder)).toEqual(['second', 'web/live'])
  })

  test('sends compressed forms of text, and says how browsers keep what never changes', async () => {
    const text = 'body { color: black }\n'.repeat(100)
    write({
      ...{ 'index.html': 'short', 'assets/app.css': text, 'assets/photo.png': text, 'given.js': text },
      'given.js.br': 'given',
    })

    const { stderr } = await person.run('deploy', 'dir', '--site', 'forms', '--folder', 'forms')

    expect(stderr).toContain('Deployed 5 files to "forms"\n')
    expect(stderr).toEndWith('/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n')
    const keys = Object.keys(await api.checksums('forms')).map((key) => key.slice('forms/'.length))
    const names = ['assets/app.css', 'assets/app.css.br', 'assets/app.css.gz', 'assets/photo.png', 'given.js']
    expect(keys.sort()).toEqual([...names, 'given.js.br', 'given.js.gz', 'index.html'])
    const bytes = async (key: string) => (await holdfast.fetch(`/api/hosting/forms/${key}`)).bytes()
    expect(brotliDecompressSync(await bytes('assets/app.css.br')).toString()).toBe(text)
    expect(gunzipSync(await bytes('assets/app.css.gz')).toString()).toBe(text)

    write({ _headers: '' })
    const again = await person.run('deploy', 'dir', '--site', 'forms')
    expect(again.stderr).not.toContain('Cache-Control')
    await person.lines('deploy', 'dir', '--folder', 'plain')
    expect(Object.keys(await api.checksums('plain'))).not.toContain('plain/assets/app.css.br')
  })

  test('--password locks the site before its version is there, with a password from standard input', async () => {
    const password = 'low tide at noon'
    write({ 'index.html': '1' })
    const words = ['deploy', 'dir', '--site', 'locked', '--folder', 'web/locked', '--private']
    const made = await person.pipe(`${password}\n`, ...words, '--password')
    expect(made).toMatchObject({ exitCode: 0, stdout: 'http://locked.sites.test/\n' })
    expect(made.stderr).not.toContain('public')
    const enterAt = async (host: string, typed: string) =>
      (await askingOf(holdfast).enter(host, { password: typed })).status
    const enter = (typed: string) => enterAt('locked.sites.test', typed)
    expect((await ask('locked.sites.test', '/')).status).toBe(401)
    expect([await enter(password), await enter('high tide at noon')]).toEqual([303, 401])

    write({ 'index.html': '2' })
    await person.lines(...words)
    expect(await enter(password)).toBe(303)
    const changed = await person.pipe('high tide at noon', ...words.slice(0, -1), '--password')
    expect(changed.stderr).toContain('Files are still public')
    expect([await enter(password), await enter('high tide at noon')]).toEqual([401, 303])

    const preview = await person.run('deploy', 'dir', '--site', 'locked', '--preview', 'a')
    expect(preview.stderr).toContain('Files are still public')
    const host = 'locked--a.sites.test'
    expect([(await ask(host, '/')).status, await enterAt(host, 'high tide at noon')]).toEqual([401, 303])
    const refused = await person.pipe('short', ...words, '--password')
    expect([refused.exitCode, await enter('high tide at noon')]).toEqual([1, 303])
  })

  test('--preview shows a version beside the site, for a time that each deployment renews', async () => {
    write({ 'index.html': 'live' })
    await person.lines('deploy', 'dir', '--site', 'www', '--folder', 'web/www', '--spa')
    write({ 'index.html': 'next' })

    const words = ['deploy', 'dir', '--site', 'www', '--preview', 'pr-12']
    expect(await person.lines(...words)).toEqual(['http://www--pr-12.sites.test/'])

    const [live, first] = await sites()
    expect(live).toMatchObject({ name: 'www', expiresAt: null })
    expect(first).toMatchObject({ name: 'www--pr-12', folder: 'web/www.pr-12', spa: true })
    const days = (at: string | null | undefined) =>
      Math.round((Date.parse(at ?? '') - Date.now()) / 86_400_000)
    expect(days(first?.expiresAt)).toBe(30)
    expect([await show('www'), await show('www--pr-12')]).toEqual(['live', 'next'])

    write({ 'index.html': 'later' })
    await person.lines(...words, '--keep', '7d')
    expect((await sites()).map(({ expiresAt }) => expiresAt === null || days(expiresAt))).toEqual([true, 7])
    expect(await show('www--pr-12')).toBe('later')
  })

  test.each([
    [['dir', '--site', 'www', '--keep', '7d'], 2, '--keep is for previews'],
    [['dir', '--site', 'www', '--preview', 'a/b'], 2, 'The name of a preview has a-z'],
    [['dir', '--site', 'www', '--preview', 'a', '--domain', 'a.example'], 2, 'leave out --domain'],
    [['dir', '--spa'], 2, '--spa, --domain, --preview and --password need a site: --site <name>'],
    [['dir', '--site', 'Www'], 1, 'but the site "Www" is not as you asked: "name" must be 1 to 63'],
    [
      ['dir', '--site', 'taken', '--folder', 'other'],
      1,
      'The site "taken" shows the folder "taken": leave out',
    ],
  ])('%p says what to do', async (words, code, message) => {
    write({ 'index.html': 'x' })
    await person.lines('deploy', 'dir', '--site', 'taken')

    const { exitCode, stdout, stderr } = await person.run('deploy', ...words)

    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('says so before it sends anything when the folder is gone, or the server has no sites', async () => {
    write({ 'index.html': 'x' })
    await person.lines('deploy', 'dir', '--site', 'gone', '--folder', 'gone')
    await person.lines('rm', '--recursive', 'gone')
    const gone = await person.run('deploy', 'dir', '--site', 'gone')
    expect(gone).toMatchObject({ exitCode: 1, stdout: '' })
    expect(gone.stderr).toContain('The folder of the site "gone" was deleted. Restore it')

    await using plain = await startWithAccount()
    using other = createPersonAt(plain, plain)
    const off = await other.run('deploy', person.folder, '--site', 'www')
    expect(off).toMatchObject({ exitCode: 1, stdout: '' })
    expect(off.stderr).toStartWith('holdfast: This server has no sites.')
  })
})
