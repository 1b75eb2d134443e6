import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../src/client/index.ts'
import { withHoldfast } from '../support/fixture.ts'

const MiB = 1024 ** 2
const LARGE_BYTES = 300 * MiB

const folder = mkdtempSync(join(tmpdir(), 'holdfast-client-'))

const holdfast = withHoldfast()
beforeAll(async () => {
  await Bun.build({
    entrypoints: [join(import.meta.dir, '../../src/client/index.ts')],
    target: 'browser',
    outdir: folder,
    naming: 'client.mjs',
  })
  writeFileSync(join(folder, 'large'), '')
  truncateSync(join(folder, 'large'), LARGE_BYTES)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

/** JSON output of the same program in each runtime. */
const PROGRAM = `
import { openAsBlob } from 'node:fs'
import { createClient, HoldfastError } from './client.mjs'

const [url, key, folder] = process.argv.slice(2)
const client = createClient({ url, key })
let peak = 0
const watch = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss) }, 2)
let sent
const content = globalThis.Bun ? Bun.file('large') : await openAsBlob('large')
const onProgress = (progress) => { sent = progress }
const [file] = await client.files.upload([{ name: 'large', content }], { folder, onProgress })
const resumable = await client.files.uploadResumable({ name: 'large', content }, { folder: folder + '/resumable' })
let received = 0
for await (const chunk of (await client.files.download(file.id)).body) received += chunk.length
const exact = await client.files.upload([{ name: '100%22 %0D é.txt', content: 'x' }], { folder: folder + '/exact' })
const names = []
for await (const { name } of client.folders.files({ key: folder })) names.push(name)
const error = await client.files.get({ key: 'none' }).catch((error) => error)
clearInterval(watch)
console.log(JSON.stringify({
  sent, received, names, peak, exact: exact[0].name, resumable: [resumable.key, resumable.size],
  refused: [error instanceof HoldfastError, error.status, error.message],
}))
`

// Holdfast can be worked on without Node.
const RUNTIMES = [
  { runtime: 'Bun', program: process.execPath },
  ...(Bun.which('node') ? [{ runtime: 'Node', program: 'node' }] : []),
]

describe('the bundled client', () => {
  test.each(RUNTIMES)(
    'works in $runtime without a file in memory',
    async ({ runtime, program }) => {
      const script = join(folder, `${runtime}.mjs`)
      writeFileSync(script, PROGRAM)

      const child = Bun.spawn([program, script, holdfast.url, holdfast.key, runtime], { cwd: folder })
      const result = JSON.parse(await new Response(child.stdout).text())

      expect(result).toMatchObject({
        sent: { loaded: LARGE_BYTES, total: LARGE_BYTES },
        received: LARGE_BYTES,
        names: ['large'],
        exact: '100%22 %0D é.txt',
        resumable: [`${runtime}/resumable/large`, LARGE_BYTES],
        refused: [true, 404, 'File not found'],
      })
      expect(result.peak).toBeLessThan(LARGE_BYTES * 0.75)
      expect(
        await createClient({ url: holdfast.url, key: holdfast.key }).files.get({ key: `${runtime}/large` }),
      ).toMatchObject({ size: LARGE_BYTES })
    },
    60_000,
  )
})
