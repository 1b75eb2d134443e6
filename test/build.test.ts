import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../package.json'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-build-'))
const binary = join(folder, 'holdfast')

beforeAll(() => {
  const build = [process.execPath, join(import.meta.dir, '../src/build/main.ts'), '--outdir', folder]
  const { exitCode, stderr } = Bun.spawnSync(build)
  if (exitCode !== 0) throw new Error(`The build failed: ${stderr}`)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the binary', () => {
  test('prints its version, and lies beside the client', () => {
    expect(Bun.spawnSync([binary, '--version']).stdout.toString()).toBe(`${version}\n`)
    expect(readdirSync(folder).sort()).toEqual(['client', 'holdfast'])
  })

  test('started in an empty folder has all it needs: migrations, hashing, its threads, the dashboard', async () => {
    const cwd = join(folder, 'empty')
    mkdirSync(cwd)
    const child = Bun.spawn([binary], { cwd, env: { PORT: '0', HOST: '127.0.0.1' }, stdout: 'pipe' })
    const { value } = await child.stdout.getReader().read()
    const [url] = /http:\S+/.exec(Buffer.from(value ?? []).toString()) ?? []
    const { createClient } = await import(join(folder, 'client'))
    const client = createClient({ url })

    await client.auth.signUp({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
    const content = new Uint8Array(5 * 1024 ** 2)
    const [file] = await client.files.upload([{ name: 'large', content }])
    const [{ sha256 }] = await client.folders.checksums()
    const { items } = await client.search('LARGE')
    const changed = await client.settings.applyVisibility('private')
    const page = await fetch(url ?? '', { headers: { Accept: 'text/html' } })
    const [, script] = /src="([^"]+\.js)"/.exec(await page.text()) ?? []
    const loaded = await fetch(new URL(script ?? '', url))
    child.kill('SIGTERM')

    expect(await child.exited).toBe(0)
    expect([loaded.status, loaded.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect(items[0]?.file.id).toBe(file.id)
    expect([file.size, changed]).toEqual([content.length, 1])
    expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(content).digest('hex'))
    expect(readdirSync(join(cwd, 'data')).sort()).toEqual([
      'db',
      'secret',
      'tmp',
      'trash',
      'uploads',
      'versions',
    ])
  })

  test('reads no .env for commands that connect to a server', async () => {
    const requests: string[] = []
    using stranger = Bun.serve({
      port: 0,
      fetch: ({ url }) => {
        requests.push(url)
        return new Response('{}')
      },
    })
    const cwd = join(folder, 'cloned')
    mkdirSync(cwd)
    const variables = [`HOLDFAST_URL=${stranger.url}`, 'HOLDFAST_KEY=hf_x', `HTTP_PROXY=${stranger.url}`]
    writeFileSync(join(cwd, '.env'), variables.join('\n'))
    const env = { XDG_CONFIG_HOME: join(cwd, 'config') }

    const child = Bun.spawn([binary, 'ls'], { cwd, env, stderr: 'pipe' })

    expect(await new Response(child.stderr).text()).toContain('You are not logged in')
    expect(await child.exited).toBe(1)
    expect(requests).toEqual([])
  })

  test('of a target that there is not is refused, with those that there are', () => {
    const build = [process.execPath, join(import.meta.dir, '../src/build/main.ts'), '--target', 'amiga']
    const { exitCode, stderr } = Bun.spawnSync([...build, '--outdir', folder])

    expect(exitCode).toBe(1)
    expect(stderr.toString()).toContain('linux-x64-baseline')
  })
})

test('an installation without development dependencies succeeds, and says that it built no dashboard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-prepare-'))
  cpSync(join(import.meta.dir, '../src/build/prepare.ts'), join(folder, 'prepare.ts'))
  // With this folder, Bun does not download what is imported.
  mkdirSync(join(folder, 'node_modules'))

  const { exitCode, stdout } = Bun.spawnSync([process.execPath, 'prepare.ts'], { cwd: folder })
  rmSync(folder, { recursive: true })

  expect(exitCode).toBe(0)
  expect(stdout.toString()).toStartWith('The dashboard is not built, because development dependencies')
})
