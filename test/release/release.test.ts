import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dependencies, version } from '../../package.json'
import { TARGETS } from '../../src/build/binary.ts'
import { run } from '../../src/build/packaging/archive.ts'
import { NPM_PACKAGES } from '../../src/build/packaging/npm.ts'
import { releasesIn } from '../../src/build/release.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { buildRelease, standIns, withRelease } from './release.ts'

const NAME = `holdfast-${version}`

const REPOSITORY = 'https://git.example/owner/holdfast'
const ENVIRONMENT = { RELEASE_URL: `${REPOSITORY}/releases/download/v${version}` }
const path = withRelease(ENVIRONMENT)

describe('a release', () => {
  test('has files of the same bytes when they are written again', () => {
    using folder = temporaryFolder()
    const out = join(folder.path, 'again')
    buildRelease(out, ['--binaries', standIns(join(folder.path, 'other-binaries'))], ENVIRONMENT)

    expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(
      readFileSync(join(path(), 'SHA256SUMS'), 'utf8'),
    )
  })

  test('has an archive for each target, with licence, service and completions', () => {
    for (const target of Object.keys(TARGETS)) {
      const names = run(['tar', 'tzf', join(path(), `${NAME}-${target}.tar.gz`)])
        .trim()
        .split('\n')
      const expected = ['LICENSE', 'holdfast', 'holdfast.service', 'completions/_holdfast']
      expect(names).toEqual(expect.arrayContaining(expected.map((name) => `${NAME}-${target}/${name}`)))
    }
    expect(run(['tar', 'tvzf', join(path(), `${NAME}-linux-arm64.tar.gz`)])).toMatch(
      /^-rwxr-xr-x 0\/0 .*\/holdfast$/m,
    )
  })

  test('lists all its files with their checksums', () => {
    const listed = readFileSync(join(path(), 'SHA256SUMS'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('  ')[1])
    const { files, ...release } = JSON.parse(readFileSync(join(path(), 'release.json'), 'utf8'))

    run(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: path() })
    expect(listed).toEqual(
      readdirSync(path())
        .filter((name) => !['SHA256SUMS', 'npm'].includes(name))
        .sort(),
    )
    expect(files.map(({ name }: { name: string }) => name)).toEqual(
      listed.filter((name) => name !== 'release.json'),
    )
    expect(release).toMatchObject({ version, releases: [{ version, security: false }] })
  })

  test('lists the packages inside with version, licence and checksum', () => {
    const { components } = JSON.parse(readFileSync(join(path(), `${NAME}.cdx.json`), 'utf8'))
    const names = components.map(({ name }: { name: string }) => name)

    const ofDashboard = ['preact', '@preact/compat', 'pdfjs-dist', 'exifreader']
    const others = ['bun', '@node-rs/argon2-linux-arm64-musl', 'jose', ...ofDashboard]
    expect(names).toEqual(expect.arrayContaining([...Object.keys(dependencies), ...others]))
    for (const one of ['typescript', 'better-auth', '@node-rs/argon2-win32-x64-msvc'])
      expect(names).not.toContain(one)
    for (const component of components)
      expect(component).toMatchObject({
        purl: expect.stringMatching(/^pkg:npm\/[^@]+@\d/),
        licenses: [{ license: { id: expect.any(String) } }],
        hashes: [{ content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      })
  })

  test('has packages for npm that name the repository and run no script at their installation', () => {
    for (const name of ['holdfast', 'holdfast-client', ...Object.values(NPM_PACKAGES)]) {
      const archive = join(path(), `npm/${name}-${version}.tgz`)
      const manifest = JSON.parse(run(['tar', 'xzOf', archive, 'package/package.json']))
      expect([manifest.name, manifest.version, manifest.scripts]).toEqual([name, version, undefined])
      expect(manifest.repository).toEqual({ type: 'git', url: `git+${REPOSITORY}.git` })
    }
  })

  test('has the service file that the documentation quotes', () => {
    const [, quoted] = /```ini\n(.*?)```/s.exec(readFileSync('docs/install.md', 'utf8')) ?? []

    expect(quoted).toBe(readFileSync('src/build/packaging/holdfast.service', 'utf8'))
  })

  test('has a formula of Homebrew with the checksums of its archives', () => {
    const sums = readFileSync(join(path(), 'SHA256SUMS'), 'utf8')
    const formula = readFileSync(join(path(), 'holdfast.rb'), 'utf8')
    const listed = [...formula.matchAll(/url "(.*)\/(.+)"\n\s+sha256 "(\w+)"/g)]

    expect(listed).toHaveLength(4)
    expect(formula).toContain(`homepage "${REPOSITORY}"`)
    for (const [, address, name, sha256] of listed) {
      expect(address).toBe(ENVIRONMENT.RELEASE_URL)
      expect(sums).toContain(`${sha256}  ${name}\n`)
    }
  })

  test('is refused for a tag of another version', () => {
    using folder = temporaryFolder()

    expect(() => buildRelease(join(folder.path, 'out'), ['--tag', 'v99.0.0'])).toThrow(
      `package.json says ${version}`,
    )
  })

  test('is one for security if the changelog has such a section', () => {
    const changelog = '# Changelog\n\n## 1.1.0\n\n- New\n\n## 1.0.1 (2026-01-02)\n\n### Security\n\n- Fixed\n'

    expect(releasesIn(changelog)).toEqual([
      { version: '1.1.0', security: false },
      { version: '1.0.1', security: true },
    ])
  })
})
