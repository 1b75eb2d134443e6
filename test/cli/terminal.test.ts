import { describe, expect, test } from 'bun:test'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programCommand } from '../support/program.ts'
import { createPerson } from './run.ts'

test('at a terminal, put shows its progress, and Ctrl-C ends it like a signal', async () => {
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

  const child = Bun.spawn([...programCommand(), 'put', 'large.bin'], {
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
})

describe('text of a server', () => {
  /** Titles, colours, the clipboard, the direction of text, a forged line. */
  const NAME = 'a\x1b]0;title\x07\x1b]52;c;eA==\x07\x9b31m\u202egnp.exe\u2069\u200f\x7f\nforged'
  const OBEYED = ['\x1b]', '\x07', '\x9b', '\x7f', '\u202e', '\u2069', '\u200f']
  const MARKED = 'a␛]0;title␇␛]52;c;eA==␇�31m�gnp.exe��␡␊forged'
  const file = { id: '01a1fce6-031d-74f7-a06c-306003e1fcab', name: NAME, key: NAME, url: NAME }
  const full = { ...file, visibility: 'public', size: 1, updatedAt: NAME }

  /** Prints a command's output about such a server's responses, as at a terminal. */
  async function look(...words: string[]): Promise<string> {
    using server = serve()
    using person = createPerson({ HOLDFAST_URL: String(server.url), HOLDFAST_KEY: 'hf_any' })
    writeFileSync(join(person.folder, 'local'), 'x')
    let shown = ''
    const child = Bun.spawn([...programCommand(), ...words], {
      cwd: person.folder,
      env: { ...person.environment, TERM: 'xterm' },
      terminal: {
        cols: 1000,
        rows: 30,
        data: (_, bytes) => {
          shown += Buffer.from(bytes).toString()
        },
      },
    })
    await child.exited
    return shown.replaceAll('\r\n', '\n')
  }

  const serve = () =>
    Bun.serve({
      port: 0,
      fetch: ({ url, method }) => {
        const { pathname, searchParams } = new URL(url)
        if (method === 'DELETE' || pathname.endsWith('/trash'))
          return Response.json({ error: { message: NAME } }, { status: 409 })
        if (pathname.endsWith('/sign')) return Response.json({ data: { url: NAME, expiresAt: NAME } })
        if (searchParams.get('offset') !== null && searchParams.get('offset') !== '0')
          return Response.json({ data: { files: [], folders: [] } })
        return Response.json({ data: { file, files: [full], folders: [{ ...file, name: NAME }] } })
      },
    })

  test.each([
    { words: ['ls'], lines: 2 },
    { words: ['ls', '--long'], lines: 2 },
    { words: ['put', 'local'], lines: 1 },
    { words: ['sign', 'x'], lines: 2 },
    { words: ['rm', 'x'], lines: 1 },
  ])('is shown with marks at a terminal: $words', async ({ words, lines }) => {
    const shown = await look(...words)

    expect(shown).toContain(MARKED)
    for (const obeyed of OBEYED) expect(shown).not.toContain(obeyed)
    expect(shown.trimEnd().split('\n')).toHaveLength(lines)
  })

  test('is exact as JSON at a terminal, and as text elsewhere', async () => {
    const shown = await look('ls', '--json')
    using server = serve()
    using person = createPerson({ HOLDFAST_URL: String(server.url), HOLDFAST_KEY: 'hf_any' })

    const [folder, listed] = shown.trimEnd().split('\n')
    expect([folder, listed].map((line) => JSON.parse(line ?? '').name)).toEqual([NAME, NAME])
    for (const obeyed of OBEYED) expect(shown).not.toContain(obeyed)
    expect((await person.run('ls')).stdout).toBe(`${NAME}/\n${NAME}\n`)
    expect((await person.run('ls', '--json')).stdout).toContain(JSON.stringify(NAME))
  })
})
