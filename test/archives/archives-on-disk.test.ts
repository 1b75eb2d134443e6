import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { namesOfPlanted, plantFiles } from '../support/many-files.ts'
import { openFiles } from '../support/open-files.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { archivesOf, contentsOf, pathsOf } from './archive.ts'

const holdfast = withHoldfast({ environment: { MAX_DOWNLOAD_BATCH: '5' } })
const { api } = holdfast

const uploadPath = (key: string) => join(holdfast.dataPath, 'uploads', key)
const { zipOf, folderZip, newFiles } = archivesOf(api)

/** Writes a file as an editor does a second later: the disk's own clock moves in steps of some milliseconds. */
function edit(key: string, content: string): void {
  writeFileSync(uploadPath(key), content)
  const time = Date.now() / 1000 + 1
  utimesSync(uploadPath(key), time, time)
}

/** Makes a data folder that belongs to the user with this id. */
function dataFolderOf(uid: number | undefined): string {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-'))
  if (uid !== undefined) chownSync(path, uid, uid)
  return path
}

describe('POST /api/files/download', () => {
  test('holds files at the length that they have on disk', async () => {
    const [longer, shorter, same] = await newFiles(['cut/longer', 'cut/shorter', 'cut/same'])
    appendFileSync(uploadPath('cut/longer'), ', and more')
    truncateSync(uploadPath('cut/shorter'), 3)

    const response = await zipOf([longer, shorter, same].map((file) => file?.id ?? ''))

    expect(await contentsOf(response)).toEqual([
      ['longer', 'content of cut/longer, and more'],
      ['shorter', 'con'],
      ['same', 'content of cut/same'],
    ])
  })

  test('gets 404 when something else is in the place of a file', async () => {
    const [kept, lost] = await newFiles(['odd/kept', 'odd/lost'])
    rmSync(uploadPath('odd/lost'))
    symlinkSync(uploadPath('odd/kept'), uploadPath('odd/lost'))

    expect((await zipOf([kept?.id ?? '', lost?.id ?? ''])).status).toBe(404)
  })
})

describe('GET /api/folders/download', () => {
  test('leaves out directories that are missing or no directories, and what is no regular file', async () => {
    const odd = ['holes/device', 'holes/file', 'holes/pipe', 'holes/target']
    await newFiles([...odd, 'holes/a', 'holes/gone/x', 'holes/link/x', 'holes/z/y'])
    rmSync(uploadPath('holes/gone'), { recursive: true })
    rmSync(uploadPath('holes/link'), { recursive: true })
    symlinkSync(uploadPath('holes/z'), uploadPath('holes/link'))
    for (const key of odd) rmSync(uploadPath(key))
    symlinkSync('/dev/zero', uploadPath('holes/device'))
    mkdirSync(uploadPath('holes/file'))
    Bun.spawnSync(['mkfifo', uploadPath('holes/pipe')])
    symlinkSync(uploadPath('holes/a'), uploadPath('holes/target'))

    for (const key of ['holes', '']) {
      const paths = (await pathsOf(await folderZip(`?key=${key}`))).filter((path) => path.includes('holes/'))
      expect(paths.map((path) => path.slice(-2))).toEqual(['s/', '/a', 'e/', 'k/', 'z/', '/y'])
    }
  })

  test('leaves out files that the server may not read', async () => {
    const isRoot = process.getuid?.() === 0
    await using guarded = await spawnHoldfast({
      ...(isRoot && { wrap: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] }),
      dataPath: dataFolderOf(isRoot ? 65534 : undefined),
    })
    const { withKey } = await registerWith(guarded)
    const { data, send, upload } = apiOf(guarded, { withKey })
    const secret = await upload('secret', 'x', 'guarded')
    await upload('shown', 'shown', 'guarded')
    const path = join(guarded.dataPath, 'uploads/guarded/secret')
    chmodSync(path, 0o000)
    if (isRoot) chownSync(path, 0, 0)

    expect(await contentsOf(await send('GET', '/folders/download?key=guarded'))).toEqual([
      ['guarded/', null],
      ['guarded/shown', 'shown'],
    ])
    expect((await send('POST', '/files/download', { ids: [secret.id] })).status).toBe(404)
    expect(await data('GET', '/files?limit=1')).toBeDefined()
    rmSync(guarded.dataPath, { recursive: true })
  })

  test('holds a file as it was edited on disk', async () => {
    await api.upload('a', 'short', 'edited')
    await api.upload('b', 'as uploaded', 'edited')
    appendFileSync(uploadPath('edited/a'), ', and longer')

    expect(await contentsOf(await folderZip('?key=edited'))).toEqual([
      ['edited/', null],
      ['edited/a', 'short, and longer'],
      ['edited/b', 'as uploaded'],
    ])
  })

  test('holds a file as it was edited on disk at the same length', async () => {
    await api.upload('a', 'as uploaded', 'same-length')
    const [large, edited] = ['x'.repeat(3_000_000), `y${'x'.repeat(2_999_999)}`]
    const { id } = await api.upload('b', large, 'same-length')
    edit('same-length/a', 'edited then')
    edit('same-length/b', edited)

    expect(await contentsOf(await folderZip('?key=same-length'))).toEqual([
      ['same-length/', null],
      ['same-length/a', 'edited then'],
      ['same-length/b', edited],
    ])
    expect(await contentsOf(await zipOf([id]))).toEqual([['b', edited]])
  })

  test('breaks off when a file in it is deleted before its turn', async () => {
    for (let n = 0; n < 12; n += 1) await api.upload(`f${n}`, 'x'.repeat(900_000), 'shrinking')
    const last = (await api.browse({ key: 'shrinking', orderBy: 'name', limit: 1 })).files[0]

    const response = await folderZip('?key=shrinking')
    await api.data('DELETE', '/files', { id: last?.id })

    expect(response.arrayBuffer()).rejects.toThrow()
  })
})

test('a HEAD of an archive leaves no file open', async () => {
  // The plan of so many files exceeds the memory of a spool.
  const count = 3000
  plantFiles(holdfast, 'planned', count)
  for (const name of namesOfPlanted(count)) writeFileSync(uploadPath(`planned/${name}`), 'x')
  const { headers } = await api.send('HEAD', '/folders/download?key=planned')

  expect(Number(headers.get('content-length'))).toBeGreaterThan(count * 200)
  await eventually(() => !openFiles().some((path) => path.startsWith(join(holdfast.dataPath, 'tmp'))))
})
