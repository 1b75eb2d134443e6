import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programCommand } from '../support/program.ts'

export interface Ended {
  exitCode: number
  stdout: string
  stderr: string
}

/** User of the command line, with their own folder. */
export interface Person extends Disposable {
  folder: string
  environment: Record<string, string>
  run: (...words: string[]) => Promise<Ended>
  /** Like `run`, with standard input. */
  pipe: (input: string, ...words: string[]) => Promise<Ended>
  /** Returns the output of a command that must succeed, in lines. */
  lines: (...words: string[]) => Promise<string[]>
}

export function createPerson(environment: Record<string, string> = {}): Person {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'))
  const own = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: join(folder, 'config'), ...environment }
  const pipe = async (input: string, ...words: string[]): Promise<Ended> => {
    const child = Bun.spawn([...programCommand(), ...words], {
      cwd: folder,
      env: own,
      stdin: Buffer.from(input),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode: await child.exited, stdout, stderr }
  }
  const run = (...words: string[]) => pipe('', ...words)
  return {
    folder,
    environment: own,
    run,
    pipe,
    lines: async (...words) => {
      const { exitCode, stdout, stderr } = await run(...words)
      if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${stderr}`)
      return stdout.split('\n').filter(Boolean)
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

/** Creates a user whose environment has the URL and API key of a server. */
export const createPersonAt = (server: { url: string | URL }, { key }: { key: string }): Person =>
  createPerson({ HOLDFAST_URL: String(server.url), HOLDFAST_KEY: key })
