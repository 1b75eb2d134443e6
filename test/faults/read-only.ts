import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Api, apiOf } from '../support/api.ts'
import { becomes } from '../support/eventually.ts'
import type { Tally } from '../support/tally.ts'
import { trashOf } from '../support/trash.ts'
import type { Bench } from './bench.ts'
import { DISK_KINDS, Disk, imageFolder, whyNoDisks } from './disks.ts'
import type { World } from './world.ts'

/** Makes ext4 turn the disk read-only under the server, which must continue to serve reads. */
export async function failDisks(bench: Bench, tally: Tally): Promise<void> {
  const folder = mkdtempSync(join(imageFolder(), 'holdfast-disks-'))
  try {
    const why = whyNoDisks(folder)
    if (why !== undefined) return tally.skip(`no disk can be mounted here: ${why}`)
    for (const [index, kind] of DISK_KINDS.filter(({ mode }) => mode === 'ordered').entries()) {
      const disk = Disk.create(join(folder, `disk${index}`), kind)
      const world = bench.newWorld(disk.dataPath)
      try {
        const broken = kind.split ? join(disk.dataPath, 'db') : disk.dataPath
        tally.add(`a disk that becomes read-only, ${kind.name}`, 1, await failDisk(world, broken))
      } finally {
        await world.kill()
        disk.remove()
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function failDisk(world: World, mounted: string): Promise<string[]> {
  await world.boot()
  await world.register()
  if (!world.account) return ['there is no account']
  const api = apiOf(world, world.account)
  const { withKey } = world.account
  const replace = (id: string, body: string) =>
    world.fetch(`/api/files/content?id=${id}`, { method: 'PUT', headers: withKey, body })
  const { id } = await api.upload('before', 'state 0')
  await replace(id, 'before')
  const version = await versionOf(api, id)
  const trash = trashOf(api)
  const { id: gone, folderId } = await api.upload('gone', 'gone', 'folder')
  const { folderId: other } = await api.upload('other', 'other', 'other')
  await trash.put({ fileIds: [gone] })
  Bun.spawnSync(['sync', '-f', mounted])
  breakDisk(mounted)
  const violations: string[] = []
  const check = (what: string, found: unknown, expected: unknown) => {
    if (!Bun.deepEquals(found, expected)) violations.push(`${what}: ${JSON.stringify(found)}`)
  }
  const refusal: [number, string] = [503, 'The volume is read-only']
  for (let round = 0; round < 3; round++) {
    check('an upload', await sendFile(world, withKey), 503)
    check('a new folder', await api.refusal('POST', '/folders', { folder: 'new' }), refusal)
    check('a rename', await api.refusal('PUT', '/files', { id, name: 'after' }), refusal)
    check('a delete', await api.refusal('DELETE', '/files', { id }), refusal)
    check('a replacement', (await replace(id, 'after')).status, 503)
    const restored = await api.refusal('POST', '/files/versions/restore', { id: version })
    check('the return of a version', restored, refusal)
    check('a swap', await api.refusal('POST', '/folders/replace', { id: other, replaces: folderId }), refusal)
    const batches = [
      await trash.put({ fileIds: [id], folderIds: [folderId] }),
      await trash.restore(gone),
      await trash.remove(gone),
    ]
    const messages = batches.flatMap(({ failed }) => failed.map(({ message }) => message))
    check('the trash', messages, Array(4).fill(refusal[1]))
    check(
      'a list',
      (await api.list()).map(({ name }) => name),
      ['other', 'before'],
    )
    check(
      'the items of the trash',
      (await trash.list()).items.map(({ name }) => name),
      ['gone'],
    )
    check('its bytes', await api.hosted('before'), 'before')
    // The disk takes nothing that the server saves by itself, either.
    await becomes(() => world.output().includes('Saving the API request counts failed'))
  }
  check('it is alive', world.isAlive(), true)
  return violations
}

async function versionOf(api: Api, id: string): Promise<string> {
  const { versions } = await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${id}`)
  return versions[0]?.id ?? ''
}

async function sendFile(world: World, headers: Record<string, string>): Promise<number> {
  const body = new FormData()
  body.append('files', new Blob(['new']), 'new')
  return (await world.fetch('/api/files', { method: 'POST', headers, body })).status
}

/** Makes ext4 find an error on a mounted disk. */
function breakDisk(mounted: string): void {
  Bun.spawnSync(['mount', '-o', 'remount,errors=remount-ro', mounted])
  const line = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((mount) => mount.split(' ')[1] === mounted)
  const device = basename(line?.split(' ')[0] ?? '')
  writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1')
}
