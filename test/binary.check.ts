import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '../src/build/binary.ts'
import { residentBytes } from './bench/memory.ts'
import { certificateFiles } from './support/certificates.ts'
import { eventually } from './support/eventually.ts'
import { spawnHoldfast } from './support/process.ts'

const MAX_REST_BYTES = 85 * 1024 ** 2

const folder = mkdtempSync(join(tmpdir(), 'holdfast-binary-'))
const binary = join(folder, 'holdfast')
beforeAll(() => compile(binary))
afterAll(() => rmSync(folder, { recursive: true }))

test('the binary has the same bytes when it is compiled again', async () => {
  const again = join(folder, 'again/holdfast')
  await compile(again)

  expect(readFileSync(again).equals(readFileSync(binary))).toBe(true)
})

test('the binary uses at most 85 MiB of memory at rest, and serves the dashboard', async () => {
  await using holdfast = await spawnHoldfast({ binary })

  await eventually(() => residentBytes(holdfast.child.pid, 'VmRSS') < MAX_REST_BYTES)

  const page = await (await holdfast.fetch('/', { headers: { Accept: 'text/html' } })).text()
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
  expect((await holdfast.fetch(script)).status).toBe(200)
})

test('the binary serves HTTPS with the code that is loaded for it only', async () => {
  using files = certificateFiles('holdfast.test')
  await using holdfast = await spawnHoldfast({ binary, environment: files.environment })
  await eventually(() => holdfast.output().includes('HTTPS is on port'))
  const port = Number(/HTTPS is on port (\d+)/.exec(holdfast.output())?.[1])
  const response = await fetch(`https://127.0.0.1:${port}/api/health`, { tls: { rejectUnauthorized: false } })

  expect(response.status).toBe(200)
  expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
})
