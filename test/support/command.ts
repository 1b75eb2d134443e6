import { expect } from 'bun:test'
import { runProgram } from '../../src/commands/program.ts'
import { StartError } from '../../src/platform/errors.ts'
import { textLog } from '../../src/platform/log.ts'
import { commandEnvironment, runCommand } from './process.ts'

/**
 * Runs a command of the program in the test's process, in a fifth of the CPU time of a process. A binary in
 * `HOLDFAST_BIN` runs instead.
 */
export async function runInside(
  words: string[],
  environment: Record<string, string>,
): Promise<{ exitCode: number; output: string }> {
  if (process.env['HOLDFAST_BIN']) return runCommand(words, environment)
  const lines: string[] = []
  const say = (line: string) => void lines.push(`${line}\n`)
  try {
    const exitCode = await runProgram(words, {
      environment: commandEnvironment(environment),
      clock: { now: Date.now, monotonic: () => performance.now() },
      random: {
        bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
        id: () => Bun.randomUUIDv7(),
      },
      log: { ...textLog, notice: say, info: say, error: (message, error) => say(`${message}: ${error}`) },
      terminal: {
        print: async (line) => say(line),
        printJson: async (value) => say(JSON.stringify(value)),
        warn: say,
        isWatched: false,
        canAsk: false,
        input: () => new Blob().stream(),
        output: process.stdout,
        errors: process.stderr,
      },
      serve: () => Promise.reject(new Error('A command does not serve')),
    })
    return { exitCode, output: lines.join('') }
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { exitCode: 1, output: `${lines.join('')}${error.message}\n` }
  }
}

/** Expects that a command or a start was refused with these texts, without a stack. */
export function expectRefused(outcome: { exitCode: number; output: string }, ...texts: string[]): void {
  expect(outcome.exitCode).toBe(1)
  for (const text of texts) expect(outcome.output).toContain(text)
  expect(outcome.output).not.toContain('    at ')
}
