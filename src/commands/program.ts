import { Command, CommanderError } from 'commander'
import { type Config, readConfig } from '../config.ts'
import type { Clock, Log, Random } from '../deps.ts'
import { VERSION } from '../version.ts'
import { runBackup } from './backup.ts'
import { runRepair } from './repair.ts'
import { runRestore } from './restore.ts'
import { runVerify } from './verify.ts'

/** What the process gives the program: where time, chance and messages come from, and how it serves. */
export interface Given {
  environment: Record<string, string | undefined>
  clock: Clock
  random: Random
  log: Log
  serve: (config: Config) => Promise<void>
}

/** The exit code of a line that is not understood, as of common tools. */
const USAGE = 2

/** A command under construction, and what its actions need. */
export interface Building {
  program: Command
  given: Given
  /** Makes an action out of work that answers with the exit code. */
  ending: <Words extends unknown[]>(
    work: (...words: Words) => Promise<number>,
  ) => (...words: Words) => Promise<void>
}

/**
 * Runs the program as `words` say; without any it serves.
 *
 * @returns The exit code: 2 when the words are not understood, which it then says.
 * @throws {StartError} when the command cannot be done.
 */
export async function runProgram(words: readonly string[], given: Given): Promise<number> {
  let exitCode = 0
  const program = new Command('holdfast')
  const ending: Building['ending'] =
    (work) =>
    async (...said) => {
      exitCode = await work(...said)
    }
  describe(program)
  addServerCommands({ program, given, ending })
  try {
    await program.parseAsync(words.length === 0 ? ['serve'] : [...words], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : USAGE
  }
}

function describe(program: Command): void {
  program
    .description('The file host you run yourself. Without a command it serves.')
    .version(VERSION)
    .helpCommand(true)
    .exitOverride()
    .showHelpAfterError('Add --help to see what can be said.')
    .showSuggestionAfterError()
}

function addServerCommands({ program, given, ending }: Building): void {
  const { log } = given
  const config = () => readConfig(given.environment)
  program.commandsGroup('On the server, with its DATA_PATH:')
  program
    .command('serve')
    .description('run the server; settings come from the environment')
    .action(ending(async () => given.serve(config()).then(() => 0)))
  program
    .command('verify')
    .description('compare disk and catalog, and print what differs')
    .option('--deep', 'read every file and compare its SHA-256', false)
    .action(ending(({ deep }: { deep: boolean }) => runVerify(config(), { deep, log })))
  program
    .command('repair')
    .description('make the catalog agree with the disk; the server must not run')
    .requiredOption('--adopt', 'take in what the catalog does not know')
    .option('--deep', 'read every file', false)
    .option('--yes', 'do it, instead of saying what would be done', false)
    .action(
      ending((options: { deep: boolean; yes: boolean }) => runRepair(config(), { ...given, ...options })),
    )
  program
    .command('backup <folder>')
    .description('add a backup to a folder')
    .action(ending((folder: string) => runBackup(config(), { ...given, folder })))
  program
    .command('restore <folder>')
    .description('bring a backup back into an empty data folder; the server must not run')
    .option('--at <backup>', 'another than the latest')
    .action(
      ending((folder: string, { at }: { at?: string }) => runRestore(config(), { ...given, folder, at })),
    )
}
