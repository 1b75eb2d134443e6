import { expect, test } from 'bun:test'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM } from '../support/process.ts'
import { createPerson } from './run.ts'

test('at a terminal, put shows how far it is, and Ctrl-C ends it as a signal does', async () => {
  using stuck = Bun.serve({
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 1024 ** 4,
    fetch: async ({ body, method }) => {
      const upload = { id: 'stuck', length: 1024 ** 3, offset: 0, file: null }
      if (method === 'POST') return Response.json({ data: { upload } }, { status: 201 })
      for await (const _ of body ?? []) await Bun.sleep(100)
      return new Response()
    },
  })
  using person = createPerson({ HOLDFAST_URL: `http://127.0.0.1:${stuck.port}`, HOLDFAST_KEY: 'hf_any' })
  writeFileSync(join(person.folder, 'large.bin'), '')
  truncateSync(join(person.folder, 'large.bin'), 1024 ** 3)
  let shown = ''
  let interrupted = false

  const child = Bun.spawn([...PROGRAM, 'put', 'large.bin'], {
    cwd: person.folder,
    env: { ...person.environment, TERM: 'xterm' },
    terminal: {
      cols: 100,
      rows: 30,
      data: (terminal, bytes) => {
        shown += Buffer.from(bytes).toString()
        if (interrupted || !/[1-9]\d* % of 1\.0 GiB/.test(shown)) return
        interrupted = true
        terminal.write('\u0003')
      },
    },
  })
  await child.exited

  expect(shown).toContain('large.bin [')
  expect([child.exitCode, child.signalCode]).toEqual([null, 'SIGINT'])
}, 30_000)
