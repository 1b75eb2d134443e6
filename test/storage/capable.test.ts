import { describe, expect, test } from 'bun:test'
import { linkSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal, refusalOfDisk, StartError } from '../../src/platform/errors.ts'
import { assertCapable, type DiskCalls, SYSTEM_DISK } from '../../src/volume/capable.ts'
import { MARKER, prepareLayout } from '../../src/volume/layout.ts'
import { startInside } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'

const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code })
}

/** Returns what a start on such a disk says; `undefined` when it does not mind. Asserts that it leaves nothing. */
function tryOn(calls: Partial<DiskCalls>): string | undefined {
  using folder = temporaryFolder()
  const paths = prepareLayout(folder.path)
  writeFileSync(join(paths.uploads, MARKER), 'id\n')
  const before = readdirSync(folder.path, { recursive: true })
  try {
    assertCapable(paths, { ...SYSTEM_DISK, ...calls })
    return undefined
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return error.message.replace(paths.root, 'DATA')
  } finally {
    expect(readdirSync(folder.path, { recursive: true })).toEqual(before)
  }
}

describe('the disk of the data folder', () => {
  const linked = (identity: object) => {
    let last = ''
    return {
      link: (from: string, to: string) => {
        last = to
        linkSync(from, to)
      },
      identify: (path: string) => ({ ...SYSTEM_DISK.identify(path), ...(path === last && identity) }),
    }
  }
  test.each<[string, Partial<DiskCalls>, string]>([
    ['without hard links', { link: failing('EPERM') }, 'has no hard links, like exFAT, FAT'],
    ['without links across folders', { link: failing('EXDEV') }, 'does not link files from one folder'],
    ['with an inode for each name', linked({ inode: '1' }), 'mount mergerfs with use_ino'],
    ['that delays sizes', linked({ size: 55 }), 'mount gocryptfs with -sharedstorage'],
    ['that shows another time', linked({ mtimeMs: 1 }), 'mount gocryptfs with -sharedstorage'],
    ['without times', { setTime: failing('EPERM') }, 'does not let the server set the times'],
    ['that ignores times', { setTime: () => {} }, 'does not let the server set the times'],
    ['that renames over nothing', { rename: failing('EEXIST') }, 'cannot replace a file by renaming another'],
  ])('%s is refused with its cure', (_, calls, told) => {
    expect(tryOn(calls)).toStartWith('The disk of the data folder "DATA" ')
    expect(tryOn(calls)).toContain(told)
  })

  test.each([
    ['whose inodes change when the first name goes', (path: string) => path.includes('versions')],
    ['whose inodes change with a rename', (path: string) => path.includes('trash')],
  ])('%s is refused', (_, isChanged) => {
    let looks = 0
    const identify = (path: string) => {
      const found = SYSTEM_DISK.identify(path)
      return isChanged(path) && looks++ > 0 === path.includes('versions') ? { ...found, inode: '1' } : found
    }
    expect(tryOn({ identify })).toContain('changes the inode number')
  })

  test('is accepted when it is in order, keeps times to two seconds, is full, read-only or failing', () => {
    expect(tryOn({})).toBeUndefined()
    const setTime = (path: string, ms: number) => {
      const rounded = Math.floor(ms / 2000) * 2
      utimesSync(path, rounded, rounded)
    }
    expect(tryOn({ setTime })).toBeUndefined()
    for (const code of ['ENOSPC', 'EROFS', 'EIO']) expect(tryOn({ link: failing(code) })).toBeUndefined()
  })

  test('links the marker of the folder of stored files, and replaces no file there', () => {
    const links: string[] = []
    const link = (from: string, to: string) => {
      links.push(from)
      linkSync(from, to)
    }

    expect(tryOn({ link })).toBeUndefined()

    expect(links.at(-1)).toEndWith(`/uploads/${MARKER}`)
  })

  test('is tried before the server makes a database', async () => {
    using folder = temporaryFolder()
    const disk = { ...SYSTEM_DISK, link: failing('EPERM') }

    await expect(startInside({ dataPath: folder.path, disk, isAlone: true })).rejects.toThrow(
      'has no hard links',
    )

    expect(statSync(join(folder.path, 'db/holdfast.sqlite'), { throwIfNoEntry: false })).toBeUndefined()
  })
})

test.each(['EINVAL', 'EILSEQ', 'ENAMETOOLONG'])('a name that the disk refuses with %s is a 400', (code) => {
  const refusal = refusalOfDisk(Object.assign(new Error(code), { code }), '"a:b" could not be stored')

  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({
    reason: 'invalid',
    message: '"a:b" could not be stored: the disk of the server does not accept the name',
  })
})
