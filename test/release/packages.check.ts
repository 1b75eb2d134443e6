import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { run } from '../../src/build/packaging/archive.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { buildRelease, standIns, withRelease } from './release.ts'

const release = withRelease()
const folder = temporaryFolder()
const next = join(folder.path, 'next')
/** Folder of the upper layer: it must not be on an overlay itself. */
const layers = temporaryFolder('/dev/shm')
const root = join(layers.path, 'root')
const arch = process.arch === 'x64' ? 'amd64' : 'arm64'
const deb = (out: string) => join(out, `holdfast_${version}_${arch}.deb`)

beforeAll(() => {
  buildRelease(next, ['--binaries', standIns(join(folder.path, 'binaries'), 'the next version')])
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(layers.path, name))
  const [upper, work] = ['upper', 'work'].map((name) => join(layers.path, name))
  run(['mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=/,upperdir=${upper},workdir=${work}`, root])
  for (const name of ['proc', 'dev']) run(['mount', '--bind', `/${name}`, join(root, name)])
  mkdirSync(join(root, 'packages'))
  for (const [name, out] of Object.entries({ 'first.deb': release(), 'next.deb': next }))
    writeFileSync(join(root, 'packages', name), readFileSync(deb(out)))
})
afterAll(() => {
  for (const name of ['proc', 'dev', '']) run(['umount', join(root, name)])
  layers[Symbol.dispose]()
  folder[Symbol.dispose]()
})

/** Runs a command in a layer over this system, which stays as it is. */
const inside = (command: string) => run(['chroot', root, 'sh', '-ec', command])

describe('the Debian package', () => {
  test('installs the program and the service, with a user and a data folder of its own', () => {
    inside('dpkg --install /packages/first.deb')

    expect(inside('holdfast --version')).toBe(`${version}\n`)
    expect(inside('stat --format "%U:%G %a" /var/lib/holdfast')).toBe('holdfast:holdfast 700\n')
    expect(inside('getent passwd holdfast')).toMatch(/:\/var\/lib\/holdfast:.*nologin$/m)
    expect(inside('readlink /etc/systemd/system/multi-user.target.wants/holdfast.service')).toContain(
      'holdfast.service',
    )
  })

  test('keeps files and variables in an upgrade and a removal, and deletes them by a purge', () => {
    inside(
      'echo kept > /var/lib/holdfast/file; echo PORT=3001 > /etc/holdfast.env; dpkg --install /packages/next.deb',
    )
    expect(inside('holdfast --version; cat /var/lib/holdfast/file /etc/holdfast.env')).toBe(
      'the next version\nkept\nPORT=3001\n',
    )

    inside('dpkg --remove holdfast; test ! -e /usr/bin/holdfast')
    expect(inside('cat /var/lib/holdfast/file')).toBe('kept\n')

    inside('dpkg --purge holdfast')
    expect(
      inside('ls -d /var/lib/holdfast /etc/holdfast.env 2>/dev/null || getent passwd holdfast || echo gone'),
    ).toBe('gone\n')
  })

  test('is a package that lintian finds no error in', () => {
    run(['lintian', '--allow-root', '--fail-on', 'error', deb(release())])
  })

  test('has a unit that systemd accepts, with little exposure', () => {
    const unpacked = join(folder.path, 'unpacked')
    run(['dpkg-deb', '--extract', deb(release()), unpacked])
    const unit = join(unpacked, 'usr/lib/systemd/system/holdfast.service')
    const text = readFileSync(unit, 'utf8')
    expect(text).toContain('\nUser=holdfast\n')
    writeFileSync(unit, text.replace('/usr/bin/holdfast', join(unpacked, 'usr/bin/holdfast')))

    expect(run(['systemd-analyze', 'verify', unit])).toBe('')
    // Fails above a level of 3.0.
    run(['systemd-analyze', 'security', '--offline=true', '--threshold=30', unit])
  })
})

describe('the rpm package', () => {
  const rpm = () => {
    const name = readdirSync(release()).find((one) =>
      one.endsWith(process.arch === 'x64' ? 'x86_64.rpm' : 'aarch64.rpm'),
    )
    return join(release(), name ?? 'an rpm')
  }

  test('has the same files as the Debian one, but for each system’s own', () => {
    const listed = run(['sh', '-c', 'dpkg-deb --fsys-tarfile "$1" | tar t', 'sh', deb(release())])
    const names = listed
      .split('\n')
      .filter((name) => /[^/]$/.test(name))
      .map((name) => name.slice(1))
    const own = (name: string) => /^\/(usr\/share\/(doc|lintian|licenses)|var)\//.test(name)

    const inRpm = run(['rpm', '--query', '--package', '--list', rpm()]).trim().split('\n')
    expect(inRpm.filter((name) => !own(name)).toSorted()).toEqual(
      names.filter((name) => !own(name)).toSorted(),
    )
    expect(inRpm).toContain('/var/lib/holdfast')
  })

  test('installs into a root', () => {
    const target = join(folder.path, 'rpm-root')
    run(['rpm', '--root', target, '--initdb'])
    run(['rpm', '--root', target, '--install', '--nodeps', '--noscripts', rpm()])

    expect(run([join(target, 'usr/bin/holdfast'), '--version'])).toBe(`${version}\n`)
    expect(run(['rpm', '--root', target, '--query', 'holdfast'])).toContain(`holdfast-${version}`)
  })
})
