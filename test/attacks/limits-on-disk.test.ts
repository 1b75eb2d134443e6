import { expect, test } from 'bun:test'
import { spawnWithAccount } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { namespace } from './namespace.ts'

// Row 95.
test('a volume without inodes refuses uploads, and takes them once one is free', async () => {
  using folder = temporaryFolder()
  const mount = `mount -t tmpfs -o size=200m,nr_inodes=40 tmpfs "${folder.path}" && exec "$@"`
  await using holdfast = await spawnWithAccount({
    dataPath: folder.path,
    wrap: [...namespace, 'sh', '-c', mount, 'sh'],
  })
  const { api } = holdfast

  const stored: FileView[] = []
  let refused: number | undefined
  while (!refused && stored.length < 60) {
    const response = await holdfast.sendUpload({ [`f${stored.length}`]: new Uint8Array(10) })
    if (response.status !== 200) refused = response.status
    else stored.push(...((await response.json()) as { data: { files: FileView[] } }).data.files)
  }
  const folderStatus = await api.status('POST', '/folders', { folder: 'a/b/c/d/e' })
  const remaining = await Promise.all(stored.map(async ({ url }) => (await holdfast.fetch(`/${url}`)).status))
  for (const { id } of stored.slice(0, 5)) expect(await api.status('DELETE', '/files', { id })).toBe(200)

  expect(refused).toBe(507)
  expect(folderStatus).toBe(507)
  expect(remaining).toEqual(remaining.map(() => 200))
  expect((await holdfast.sendUpload({ again: new Uint8Array(10) })).status).toBe(200)
})
