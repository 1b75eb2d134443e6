import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { runCommand } from './support/process.ts'
import { programCommand } from './support/program.ts'

/** Starts a demo in a separate process and collects its output. */
async function startDemo(environment: Record<string, string> = {}) {
  const child = Bun.spawn([...programCommand(), 'demo'], {
    env: { PATH: process.env['PATH'], ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += Buffer.from(chunk).toString()
    if (output.includes('Ctrl+C')) break
  }
  const find = (pattern: RegExp) => pattern.exec(output)?.[1] ?? ''
  return {
    child,
    url: find(/runs at (\S+)/),
    email: find(/E-mail: +(\S+)/),
    password: find(/Password: +(\S+)/),
    website: find(/website: +(\S+)/),
    link: find(/signed link:\s+(\S+)/),
    folder: find(/files are in (\S+)/),
  }
}

describe('holdfast demo', () => {
  test('serves sample files to its printed account, its website and its signed link', async () => {
    const { child, url, email, password, website, link } = await startDemo()
    try {
      const signedIn = await fetch(`${url}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: url },
        body: JSON.stringify({ email, password }),
      })
      const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
      const listed = await fetch(`${url}/api/files?limit=100`, { headers: { Cookie } })
      const { data } = (await listed.json()) as { data: { files: { key: string; visibility: string }[] } }
      const unsigned = await fetch(link.replace(/\?.*/, ''))

      expect(signedIn.status).toBe(200)
      expect(data.files.map(({ key }) => key)).toContain('photos/morning.png')
      expect(data.files.filter(({ visibility }) => visibility === 'private')).toHaveLength(1)
      expect(await (await fetch(website)).text()).toContain('<h1>')
      expect([(await fetch(link)).status, unsigned.status]).toEqual([200, 404])
    } finally {
      child.kill('SIGINT')
      await child.exited
    }
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('removes its files on %s', async (signal) => {
    const { child, folder } = await startDemo()
    const existed = existsSync(folder)

    child.kill(signal)

    expect([existed, await child.exited, existsSync(folder)]).toEqual([true, 0, false])
  })

  test('ignores the settings of another instance', async () => {
    const { child, url, folder } = await startDemo({
      PORT: '1',
      DATA_PATH: '/nowhere',
      BASE_URL: 'https://a.example',
    })

    expect(new URL(url).hostname).toBe('localhost')
    expect(folder).toContain('holdfast-demo-')
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
  })

  test('is listed by --help and refuses an invalid port', () => {
    expect(runCommand(['--help'], {}).output).toContain('demo')
    expect(runCommand(['demo', '--port', '70000'], {}).exitCode).toBe(2)
  })
})
