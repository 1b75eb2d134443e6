import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ZipEntry } from '../../src/zip/entry.ts'
import { readZip } from '../../src/zip/reader.ts'
import { writeZip } from '../../src/zip/writer.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { extract, listWithPython, READERS, run, shell, testArchive, WRITERS } from './readers.ts'
import { collect, directory, file, GIB, MIB, MODIFIED_AT, zeros } from './samples.ts'
import { SparseArchive } from './sparse-archive.ts'

/** Creates a folder with the archive of `entries`, removed at the end of the test. */
async function savedArchive(entries: Iterable<ZipEntry>) {
  const archive = await SparseArchive.from(writeZip(entries))
  const folder = temporaryFolder()
  const path = join(folder.path, 'archive.zip')
  archive.save(path)
  return { ...folder, folder: folder.path, path }
}

/** Output of a reader that finds a fault; it may print that there are no `errors`. */
const COMPLAINT = /\b(warning|error)\b/i

const NAMES = ['ä 日本 🙂.txt', 'e\u0301 decomposed', 'a:b', 'C:/x', '-rf', ' ', '~', '...', 'x'.repeat(255)]
const CASES: [string, ZipEntry[]][] = [
  ['small files', [directory('files/'), file('files/a', 'hello'), file('files/empty', ''), file('b', 'x')]],
  ['directories alone', [directory('d/'), directory('d/e/'), directory('f/')]],
  ['unusual names', NAMES.map((name) => file(name, name))],
  ['names that differ by case', [file('a', 'lower'), file('A', 'upper'), directory('ä/'), file('Ä', '')]],
  ['a deep path', [file(`${'d/'.repeat(500)}end`, 'hello')]],
  ['times outside the calendar of DOS', [file('past', '', 0), file('future', '', Date.UTC(2200, 0))]],
  ['65,536 files', Array.from({ length: 65_536 }, (_, index) => file(`f${index}`, `${index}`))],
]

describe.each(READERS)('%s', (reader) => {
  test.each(CASES)('finds no fault in an archive of %s', async (_, entries) => {
    using archive = await savedArchive(entries)

    const { exitCode, output } = await testArchive(reader, archive.path)

    expect(output).not.toMatch(COMPLAINT)
    expect(exitCode).toBe(0)
  })

  test('extracts names, bytes and times', async () => {
    const names = ['a', '-rf', 'ä 日本 🙂', 'd/a:b', 'd/e/inside']
    using archive = await savedArchive([directory('empty/'), ...names.map((name) => file(name, name))])
    const target = join(archive.folder, 'target')

    expect(await extract(reader, archive.path, target)).toMatchObject({ exitCode: 0 })

    expect(readdirSync(target, { recursive: true }).sort()).toEqual([...names, 'd', 'd/e', 'empty'].sort())
    for (const name of names) {
      expect(readFileSync(join(target, name), 'utf8')).toBe(name)
      // Python restores neither times nor modes.
      if (reader === 'python3') continue
      expect(statSync(join(target, name)).mtimeMs).toBe(MODIFIED_AT)
      expect(statSync(join(target, name)).mode & 0o777).toBe(0o644)
      expect(statSync(join(target, 'empty')).mode & 0o777).toBe(0o755)
    }
  })

  test('extracts nothing outside the folder when names look like drives and ways up', async () => {
    const names = ['C:/x', 'a:b', 'c:../outside', '..../outside', '~/outside', '... /outside']
    using archive = await savedArchive(names.map((name) => file(name, name)))
    const target = join(archive.folder, 'a', 'target')

    // bsdtar takes `c:` off, refuses the way up that is left, and says so in its exit code.
    await extract(reader, archive.path, target)

    const paths = readdirSync(archive.folder, { recursive: true }).map(String)
    const outside = paths.filter((path) => !path.startsWith('a/target/'))
    expect(outside.sort()).toEqual(['a', 'a/target', 'archive.zip'])
    expect(readFileSync(join(target, '..../outside'), 'utf8')).toBe('..../outside')
  })
})

describe('an archive with an entry over 4 GiB and one behind it', () => {
  // One test, so that the readers share one archive: the first to read it pays for all.
  test('is sparse and valid to every reader', async () => {
    using archive = await savedArchive([zeros('large', 4 * GIB + 1), file('behind', 'hello')])
    expect(statSync(archive.path).blocks * 512).toBeLessThan(MIB)

    for (const reader of READERS) {
      // unzip needs half a minute to check 4 GiB, so it looks for the second file only.
      const checked =
        reader === 'unzip'
          ? await run(reader, ['-tq', archive.path, 'behind'])
          : await testArchive(reader, archive.path)

      expect({ reader, ...checked }).toMatchObject({ reader, exitCode: 0 })
      expect(checked.output).not.toMatch(COMPLAINT)
    }
  })
})

describe('an empty archive', () => {
  test.each([
    ['unzip', 1, 'zipfile is empty'],
    ['7z', 0, 'Everything is Ok'],
    ['bsdtar', 0, ''],
    ['python3', 0, '[]'],
  ] as const)('is one to %s', async (reader, expectedCode, words) => {
    using archive = await savedArchive([])

    const { exitCode, output } = await testArchive(reader, archive.path)

    expect(output).toContain(words)
    expect(exitCode).toBe(expectedCode)
  })
})

describe('listings', () => {
  test('Python lists every path unchanged', async () => {
    const paths = [...NAMES, 'line\nbreak', 'd/e']
    using archive = await savedArchive(paths.map((path) => file(path, path)))

    expect(await listWithPython(archive.path)).toEqual(paths)
  })

  test('bsdtar lists kinds, modes and sizes', async () => {
    using archive = await savedArchive([directory('d/'), file('d/ä', 'hello')])

    const { output } = await run('bsdtar', ['-tvf', archive.path])

    expect(output).toMatch(/^drwxr-xr-x .* d\/\n-rw-r--r-- .* 5 .* d\/ä\n$/)
  })

  test('unzip lists the fields of the headers', async () => {
    using archive = await savedArchive([file('a', 'hello')])

    const { output } = await run('unzip', ['-Zv', archive.path])

    expect(output).toMatch(/file system or operating system of origin: +Unix/)
    expect(output).toMatch(/minimum software version required to extract: +1\.0/)
    expect(output).toMatch(/compression method: +none \(stored\)/)
    expect(output).toMatch(/extended local header: +no/)
    expect(output).toMatch(/Unix file attributes \(100644 octal\): +-rw-r--r--/)
    expect(output).toMatch(/last modified on \(UT extra field modtime\): +2026 Mar 1 21:34:56 local/)
  })
})

/** Creates a folder with a website, and the path for its archive. */
function website() {
  const temporary = temporaryFolder()
  const folder = temporary.path
  const site = join(folder, 'site')
  mkdirSync(join(site, 'css', 'fonts'), { recursive: true })
  mkdirSync(join(site, 'empty'))
  writeFileSync(join(site, 'index.html'), '<h1>hello</h1>'.repeat(1000))
  writeFileSync(join(site, 'css', 'a.css'), '')
  writeFileSync(join(site, 'css', 'fonts', 'ä 日本 🙂.woff'), crypto.getRandomValues(new Uint8Array(200_000)))
  shell('zip -q inner.zip css/fonts/*', site)
  return { ...temporary, folder, site }
}

/** Returns all entries that our own reader finds: bytes by path, null for a directory. */
async function unpacked(path: string): Promise<Map<string, Buffer | null>> {
  const found = new Map<string, Buffer | null>()
  const entries = readZip(Bun.file(path).stream(), { maxRatio: 200 })
  for await (const { path: entry, isDirectory, body } of entries) {
    found.set(entry.replace(/\/$/, ''), isDirectory ? null : Buffer.from(await collect(body)))
  }
  return found
}

describe('our own reader', () => {
  test.each(WRITERS)('unpacks what %s packs', async (_, command) => {
    using packed = website()
    shell(command, packed.site)

    const found = await unpacked(join(packed.folder, 'archive.zip'))

    expect([...found.keys()].sort()).toEqual(readdirSync(packed.site, { recursive: true }).map(String).sort())
    for (const [path, bytes] of found) {
      if (bytes) expect(bytes.equals(readFileSync(join(packed.site, path)))).toBe(true)
      else expect(statSync(join(packed.site, path)).isDirectory()).toBe(true)
    }
  })

  test.each([
    ['links', 'zip -qry ../archive.zip .', 'is a link or a device'],
    ['a password', 'zip -qr -P secret ../archive.zip index.html', 'is encrypted'],
    ['another method', 'zip -qr -Z bzip2 ../archive.zip index.html', 'is compressed by method 12'],
  ])('refuses %s', async (_, command, words) => {
    using packed = website()
    symlinkSync('/etc/passwd', join(packed.site, 'link'))
    shell(command, packed.site)

    expect(unpacked(join(packed.folder, 'archive.zip'))).rejects.toThrow(words)
  })
})
