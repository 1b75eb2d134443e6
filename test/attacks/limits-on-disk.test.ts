import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerWith, spawnHoldfast } from '../support/process.ts'

function send(
  fetch: (path: string, init: RequestInit) => Promise<Response>,
  headers: Record<string, string>,
  name: string,
) {
  const body = new FormData()
  body.append('files', new Blob([new Uint8Array(10)]), name)
  return fetch('/api/files', { method: 'POST', headers, body })
}

// Row 95.
test('a volume without inodes refuses uploads, and takes them once one is free', async () => {
  const mountPoint = mkdtempSync(join(tmpdir(), 'holdfast-inodes-'))
  const mount = `mount -t tmpfs -o size=200m,nr_inodes=40 tmpfs "${mountPoint}" && exec "$@"`
  const namespace = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm']
  await using holdfast = await spawnHoldfast({
    dataPath: mountPoint,
    wrap: [...namespace, 'sh', '-c', mount, 'sh'],
  })
  const { withKey } = await registerWith(holdfast)

  const stored: string[] = []
  let refused: Response | undefined
  while (!refused && stored.length < 60) {
    const response = await send(holdfast.fetch, withKey, `f${stored.length}`)
    if (response.status !== 200) refused = response
    else {
      const { data } = (await response.json()) as { data: { files: { id: string }[] } }
      stored.push(data.files[0]?.id ?? '')
    }
  }
  const folder = await holdfast.fetch('/api/folders', {
    method: 'POST',
    headers: withKey,
    body: '{"folder":"a/b/c/d/e"}',
  })
  const remaining = await Promise.all(
    stored.map(async (_, n) => (await holdfast.fetch(`/api/hosting/f${n}`)).status),
  )
  for (const id of stored.slice(0, 5)) {
    const body = JSON.stringify({ id })
    expect((await holdfast.fetch('/api/files', { method: 'DELETE', headers: withKey, body })).status).toBe(
      200,
    )
  }

  expect(refused?.status).toBe(507)
  expect(folder.status).toBe(507)
  expect(remaining).toEqual(remaining.map(() => 200))
  expect((await send(holdfast.fetch, withKey, 'again')).status).toBe(200)
  rmSync(mountPoint, { recursive: true })
})
