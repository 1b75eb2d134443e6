import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { documentedFetch } from './documented.ts'
import { type Account, ADMIN, type Holdfast } from './holdfast.ts'
import { kindVariables, removeObjects } from './kind.ts'
import { IS_OVER_TLS, tlsVariables } from './over-tls.ts'
import { commandOf, programCommand } from './program.ts'

const ROOT = join(import.meta.dir, '../..')

const programOf = (main: string | undefined) => (main ? commandOf(main) : programCommand())

export interface ProcessOptions {
  environment?: Record<string, string>
  /** Existing data folder, as after a restart. By default a new one, removed in the end. */
  dataPath?: string
  /** Command in front of the server's own, for example `prlimit`. */
  wrap?: string[]
  /** Main module, by default the project's. */
  program?: string
  /** Binary to run instead. */
  binary?: string
}

/** Holdfast as a separate process, for tests of signals, kills, exit codes and limits. */
export interface HoldfastProcess extends AsyncDisposable {
  child: Subprocess<'ignore', 'pipe', 'pipe'>
  url: string
  port: number
  dataPath: string
  fetch: Holdfast['fetch']
  /** Returns the output so far. */
  output: () => string
}

/** Starts the server and waits until it listens. @throws with its output when it exits instead. */
export async function spawnHoldfast(options: ProcessOptions = {}): Promise<HoldfastProcess> {
  const dataPath = options.dataPath ?? mkdtempSync(join(tmpdir(), 'holdfast-'))
  const program = options.binary ? [options.binary] : programOf(options.program)
  const child = Bun.spawn([...(options.wrap ?? []), ...program], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_PATH: dataPath,
      RATE_LIMIT_API: '0',
      RATE_LIMIT_HOSTING: '0',
      RATE_LIMIT_S3: '0',
      RATE_LIMIT_SITES: '0',
      RATE_LIMIT_UPLOADS: '0',
      ...kindVariables(dataPath),
      ...tlsVariables(),
      ...options.environment,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += Buffer.from(chunk).toString()
  }
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)])
  const listening = IS_OVER_TLS ? /HTTPS is on port (\d+)\n/ : /listening on http:\/\/localhost:(\d+).*\n/
  while (!listening.test(output) && child.exitCode === null && child.signalCode === null) await Bun.sleep(5)
  const port = Number(listening.exec(output)?.[1])
  if (!port) {
    await collected
    throw new Error(`Holdfast ended with ${child.exitCode}: ${output}`)
  }
  const url = `${IS_OVER_TLS ? 'https' : 'http'}://127.0.0.1:${port}`
  return {
    child,
    url,
    port,
    dataPath,
    fetch: documentedFetch(url),
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await child.exited
      if (options.dataPath !== undefined) return
      rmSync(dataPath, { recursive: true, force: true })
      await removeObjects(dataPath)
    },
  }
}

/** Returns the variables of a command on an instance: `environment`, and those that lead to its bytes. */
export const commandEnvironment = (environment: Record<string, string>) => ({
  PATH: process.env['PATH'],
  ...kindVariables(environment['DATA_PATH']),
  ...environment,
})

/** Runs a command of the program and waits until it exits. */
export function runCommand(
  words: string[],
  environment: Record<string, string>,
): { exitCode: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...programCommand(), ...words], {
    cwd: ROOT,
    env: commandEnvironment(environment),
  })
  return { exitCode, output: `${stdout}${stderr}` }
}

/** Id of a user other than root. */
export const UNPRIVILEGED = 65534

/** Returns the beginning of a command that runs without the rights of root. */
export function asUnprivileged(): string[] {
  const user = ['--reuid', String(UNPRIVILEGED), '--regid', String(UNPRIVILEGED), '--clear-groups']
  return process.getuid?.() === 0 ? ['setpriv', ...user] : []
}

/** Like `runCommand`, without the rights of root. The data folder must belong to `UNPRIVILEGED`. */
export function runUnprivileged(
  words: string[],
  environment: Record<string, string>,
): { exitCode: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...asUnprivileged(), ...programCommand(), ...words], {
    cwd: ROOT,
    env: commandEnvironment(environment),
  })
  return { exitCode, output: `${stdout}${stderr}` }
}

/**
 * Starts a command of the program that the test awaits or kills.
 *
 * @param program Main module, by default the project's.
 */
export const startCommand = (words: string[], environment: Record<string, string>, program?: string) =>
  Bun.spawn([...programOf(program), ...words], {
    cwd: ROOT,
    env: commandEnvironment(environment),
    stdout: 'pipe',
    stderr: 'pipe',
  })

/** Like `runCommand`, but does not block the test's own event loop. */
export async function spawnCommand(
  words: string[],
  environment: Record<string, string>,
  program?: string,
): Promise<{ exitCode: number; output: string }> {
  const child = startCommand(words, environment, program)
  const printed = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()))
  return { exitCode: await child.exited, output: printed.join('') }
}

/** Starts a server that must exit. Returns its output and exit code. */
export async function failToStart(options: ProcessOptions): Promise<{ exitCode: number; output: string }> {
  try {
    await using holdfast = await spawnHoldfast(options)
    throw new Error(`Holdfast started although it must not: ${holdfast.output()}`)
  } catch (error) {
    const [, exitCode, output] =
      /^Holdfast ended with (\d+): ([\s\S]*)$/.exec(String((error as Error).message)) ?? []
    if (exitCode === undefined || output === undefined) throw error
    return { exitCode: Number(exitCode), output }
  }
}

/** Registers the first account of a server process and creates an API key for it. */
export async function registerWith({
  fetch,
}: Pick<HoldfastProcess, 'fetch'>): Promise<Pick<Account, 'cookie' | 'withKey'>> {
  const post = (path: string, body: unknown, headers: Record<string, string>) =>
    fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
  const signedUp = await post('/api/auth/sign-up/email', ADMIN, {})
  const cookie = signedUp.headers.get('set-cookie')?.split(';')[0] ?? ''
  const created = await post(
    '/api/keys',
    { name: 'test', scopes: ['files:read', 'files:write', 'files:delete'] },
    { Cookie: cookie },
  )
  const { data } = (await created.json()) as { data: { key: { key: string } } }
  return { cookie, withKey: { 'API-Key': data.key.key } }
}
