import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '../src/build/binary.ts'
import { residentBytes } from './bench/memory.ts'
import { eventually } from './support/eventually.ts'
import { spawnHoldfast } from './support/process.ts'

const MAX_REST_BYTES = 85 * 1024 ** 2

const folder = mkdtempSync(join(tmpdir(), 'holdfast-binary-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the binary uses at most 85 MiB of memory at rest, and serves the dashboard', async () => {
  const binary = join(folder, 'holdfast')
  await compile(binary)
  await using holdfast = await spawnHoldfast({ binary })

  await eventually(() => residentBytes(holdfast.child.pid, 'VmRSS') < MAX_REST_BYTES)

  const page = await (await holdfast.fetch('/', { headers: { Accept: 'text/html' } })).text()
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
  expect((await holdfast.fetch(script)).status).toBe(200)
})
