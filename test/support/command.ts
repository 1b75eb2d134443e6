import { expect } from 'bun:test'
import { Writable } from 'node:stream'
import { runProgram } from '../../src/commands/program.ts'
import { StartError } from '../../src/platform/errors.ts'
import { type Log, textLog } from '../../src/platform/log.ts'
import { startServer } from '../../src/server.ts'
import { commandEnvironment, failToStart, type ProcessOptions, runCommand } from './process.ts'
import { programCommand } from './program.ts'
import { temporaryFolder } from './temporary.ts'

interface Given {
  environment: Record<string, string | undefined>
  /** Standard input. */
  input: string
  /** Working directory. */
  cwd: string
}

export interface Ended {
  exitCode: number
  stdout: string
  stderr: string
}

const clock = { now: Date.now, monotonic: () => performance.now() }
const random = {
  bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  id: () => Bun.randomUUIDv7(),
}

/** Runs a command in this process. Returns its exit code; `printed` gets what it prints, in turn. */
async function runHere(
  words: readonly string[],
  { environment, input, cwd }: Given,
  printed: [stream: 'stdout' | 'stderr', bytes: Buffer][],
): Promise<number> {
  const collect = (stream: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk, _, done) => {
        printed.push([stream, Buffer.from(chunk)])
        done()
      },
    })
  const [output, errors] = [collect('stdout'), collect('stderr')]
  const print = async (line: string) => void output.write(`${line}\n`)
  const say = (line: string) => void errors.write(`${line}\n`)
  const log: Log = {
    ...textLog,
    notice: say,
    info: say,
    error: (message, error) => say(`${message}: ${error}`),
  }
  const before = process.cwd()
  process.chdir(cwd)
  try {
    return await runProgram(words, {
      environment,
      clock,
      random,
      log,
      terminal: {
        print,
        printJson: (value) => print(JSON.stringify(value)),
        warn: say,
        isWatched: false,
        canAsk: false,
        input: () => new Blob([input]).stream(),
        output,
        errors,
      },
      serve: async (config) => {
        const dashboard = new Map()
        const server = await startServer({ config, clock, random, log, dashboard, onFatal: () => {} })
        await server.stop(0)
        throw new Error('Holdfast started although it must not')
      },
    })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    say(error.message)
    return 1
  } finally {
    process.chdir(before)
  }
}

const textOf = (printed: readonly [unknown, Buffer][]) =>
  Buffer.concat(printed.map(([, bytes]) => bytes)).toString()

/**
 * Runs a command of the program in the test's process, in a fifth of the CPU time of a process. A binary in
 * `HOLDFAST_BIN` runs instead.
 */
export async function runAlike(words: readonly string[], given: Given): Promise<Ended> {
  if (process.env['HOLDFAST_BIN']) return spawnAlike(words, given)
  const printed: Parameters<typeof runHere>[2] = []
  const exitCode = await runHere(words, given, printed)
  const of = (name: string) => textOf(printed.filter(([stream]) => stream === name))
  return { exitCode, stdout: of('stdout'), stderr: of('stderr') }
}

async function spawnAlike(words: readonly string[], { environment, input, cwd }: Given): Promise<Ended> {
  const child = Bun.spawn([...programCommand(), ...words], {
    cwd,
    env: environment,
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exitCode: await child.exited, stdout, stderr }
}

/** Runs a command on an instance in the test's process. A binary in `HOLDFAST_BIN` runs instead. */
export async function runInside(
  words: string[],
  environment: Record<string, string>,
): Promise<{ exitCode: number; output: string }> {
  if (process.env['HOLDFAST_BIN']) return runCommand(words, environment)
  const printed: Parameters<typeof runHere>[2] = []
  const given = { environment: commandEnvironment(environment), input: '', cwd: process.cwd() }
  const exitCode = await runHere(words, given, printed)
  return { exitCode, output: textOf(printed) }
}

/** Starts a server in the test's process that must be refused. Returns what its process would print. */
export async function failInside(options: ProcessOptions) {
  const { dataPath, environment } = options
  if (process.env['HOLDFAST_BIN']) return failToStart(options)
  using folder = temporaryFolder()
  return runInside([], { PORT: '0', HOST: '127.0.0.1', DATA_PATH: dataPath ?? folder.path, ...environment })
}

/** Expects that a command or a start was refused with these texts, without a stack. */
export function expectRefused(outcome: { exitCode: number; output: string }, ...texts: string[]): void {
  expect(outcome.exitCode).toBe(1)
  for (const text of texts) expect(outcome.output).toContain(text)
  expect(outcome.output).not.toContain('    at ')
}
