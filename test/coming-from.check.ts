import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { programCommand } from './support/program.ts'
import { readCatalogNow } from './support/read-catalog.ts'

/** Runs the commands of the pages "Coming from …" on the layouts of those programs. Needs `sh` and `python3`. */

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-coming-'))
  const holdfast = `#!/bin/sh\nexec ${programCommand()
    .map((word) => `'${word}'`)
    .join(' ')} "$@"\n`
  write('bin/holdfast', holdfast)
  Bun.spawnSync(['chmod', '+x', join(folder, 'bin/holdfast')])
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

/** Returns the blocks of a language in a page, with paths of the other program below the test's folder. */
const blocksOf = (page: string, language: string): string[] =>
  [
    ...readFileSync(join(import.meta.dir, `../docs/coming-from-${page}.md`), 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'),
    ),
  ].map(([, block = '']) => block.replace(/(?<=\s)\/(?=opt\/|srv\b)/g, `${folder}/`))

function run(script: string): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['sh', '-ec', script], {
    cwd: folder,
    env: { PATH: `${folder}/bin:${process.env['PATH']}`, DATA_PATH: join(folder, 'data') },
  })
  if (exitCode !== 0) throw new Error(`${script}\n${stdout}${stderr}`)
}

/** Returns key and visibility of every file in the catalog. */
function stored(): string[] {
  const catalog = readCatalogNow(join(folder, 'data/db/holdfast.sqlite'))
  try {
    const files = catalog.files.after('', 100)
    return files
      .map((file) =>
        `${catalog.folders.keyOf(file.folderId)}/${file.name} ${file.visibility}`.replace(/^\//, ''),
      )
      .sort()
  } finally {
    catalog.close()
  }
}

const content = (key: string) => readFileSync(join(folder, 'data/uploads', key), 'utf8')

test('File Browser: its root is imported, or moved and adopted', () => {
  write('srv/a.txt', 'a')
  write('srv/photos/b c.jpg', 'b')
  const [copy = '', , move = ''] = blocksOf('file-browser', 'sh')

  run(copy)
  expect(stored()).toEqual(['files/a.txt private', 'files/photos/b c.jpg private'])

  rmSync(join(folder, 'data'), { recursive: true })
  run(move)
  expect(stored()).toEqual(['a.txt private', 'photos/b c.jpg private'])
})

test('Pingvin Share: files get their names back', () => {
  write('opt/pingvin-share/data/uploads/shares/s1/id1', 'one')
  write('opt/pingvin-share/data/uploads/shares/s1/id2', 'two')
  using database = new Database(join(folder, 'opt/pingvin-share/data/pingvin-share.db'))
  database.run(
    'CREATE TABLE File (id TEXT PRIMARY KEY, createdAt DATETIME, name TEXT, size TEXT, shareId TEXT)',
  )
  const insert = database.query('INSERT INTO File VALUES (?, 0, ?, ?, ?)')
  insert.run('id1', 'ä.txt', '3', 's1')
  insert.run('id2', '../ä.txt', '3', 's1')
  write('export.py', blocksOf('pingvin-share', 'python')[0] ?? '')

  run(blocksOf('pingvin-share', 'sh')[0] ?? '')

  expect(stored()).toEqual(['shares/s1/id2-ä.txt private', 'shares/s1/ä.txt private'])
  expect(content('shares/s1/ä.txt')).toBe('one')
})

test('PicoShare: files are put together from their chunks, with their times', () => {
  mkdirSync(join(folder, 'opt/picoshare/data'), { recursive: true })
  using database = new Database(join(folder, 'opt/picoshare/data/store.db'))
  database.run('CREATE TABLE entries (id TEXT PRIMARY KEY, filename TEXT, upload_time TEXT)')
  database.run('CREATE TABLE entries_data (id TEXT, chunk_index INTEGER, chunk BLOB)')
  database.run("INSERT INTO entries VALUES ('abc', 'a.txt', '2024-05-06T07:08:09Z')")
  const insert = database.query("INSERT INTO entries_data VALUES ('abc', ?, ?)")
  insert.run(1, Buffer.from('world'))
  insert.run(0, Buffer.from('hello '))
  write('export.py', blocksOf('picoshare', 'python')[0] ?? '')

  run(blocksOf('picoshare', 'sh')[0] ?? '')

  expect(stored()).toEqual(['shared/abc/a.txt public'])
  expect(content('shared/abc/a.txt')).toBe('hello world')
  expect(statSync(join(folder, 'data/uploads/shared/abc/a.txt')).mtime.toISOString()).toBe(
    '2024-05-06T07:08:09.000Z',
  )
})

test('Zipline: uploads keep their public names, or get their original names and folders', () => {
  write('opt/zipline/uploads/x1.png', 'x')
  write('opt/zipline/uploads/y2.txt', 'y')
  const files = [
    { name: 'x1.png', originalName: 'holiday.png', folderId: 'f' },
    { name: 'y2.txt', originalName: null, folderId: null },
  ]
  write('export.json', JSON.stringify({ data: { folders: [{ id: 'f', name: 'Pictures' }], files } }))
  write('export.py', blocksOf('zipline', 'python')[0] ?? '')

  for (const block of blocksOf('zipline', 'sh')) run(block)

  expect(stored()).toEqual([
    'u/x1.png public',
    'u/y2.txt public',
    'zipline/Pictures/holiday.png private',
    'zipline/unsorted/y2.txt private',
  ])
})

test('MinIO: a mirrored bucket is imported', () => {
  write('export/photos/2026/a.jpg', 'a')

  run(blocksOf('minio', 'sh')[1] ?? '')

  expect(stored()).toEqual(['photos/2026/a.jpg public'])
})
