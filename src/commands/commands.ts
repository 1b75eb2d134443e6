import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import type { Clock, Log, Random } from '../deps.ts'
import { StartError } from '../errors.ts'
import { runBackup } from './backup.ts'
import { runRepair } from './repair.ts'
import { runRestore } from './restore.ts'
import { runVerify } from './verify.ts'

/** What the process gives a command: where time, chance and messages come from. */
interface Given {
  clock: Clock
  random: Random
  log: Log
}

const USAGE = `Use one of
  serve
  verify [--deep]
  repair --adopt [--deep] [--yes]
  backup <folder>
  restore <folder> [--at <snapshot>]`

/**
 * Runs a command that ends by itself.
 *
 * @returns The exit code.
 * @throws {StartError} when it is not a command, or cannot be done.
 */
export async function runCommand(config: Config, words: string[], given: Given): Promise<number> {
  const { command, folder, options } = parse(words)
  const { deep = false, adopt, yes = false, at } = options
  const is = (name: string, ...allowed: string[]) =>
    command === name && Object.keys(options).every((option) => allowed.includes(option))
  if (is('verify', 'deep') && folder === undefined) return runVerify(config, { ...given, deep })
  if (is('repair', 'adopt', 'deep', 'yes') && adopt && folder === undefined)
    return runRepair(config, { ...given, deep, yes })
  if (is('backup') && folder !== undefined) return runBackup(config, { ...given, folder })
  if (is('restore', 'at') && folder !== undefined) return runRestore(config, { ...given, folder, at })
  throw new StartError(`"${words.join(' ')}" is no command. ${USAGE}`)
}

function parse(words: string[]) {
  const flag = { type: 'boolean' } as const
  try {
    const { values, positionals } = parseArgs({
      args: words,
      options: { deep: flag, adopt: flag, yes: flag, at: { type: 'string' } },
      allowPositionals: true,
    })
    const [command, folder, ...more] = positionals
    return { command: more.length > 0 ? undefined : command, folder, options: values }
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error}. ${USAGE}`)
  }
}
