import { hostname } from 'node:os'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { type FolderWithRights, folderWithRights, wholeCount } from '../cli/arguments.ts'
import { addRemoteCommands, type Ending } from '../cli/commands.ts'
import { explain, UsageFailure } from '../cli/failure.ts'
import type { Terminal } from '../cli/terminal.ts'
import { errorCode } from '../platform/errors.ts'
import { VERSION } from '../platform/version.ts'
import { addCompletion } from './completion.ts'
import type { ResetPasswordOptions } from './reset-password.ts'
import { configOf, type Given, isServe, runServe } from './serve.ts'

/** Exit code of a usage error, as of common tools. */
const USAGE = 2

/** Exit code of a failed command. */
const FAILED = 1

/**
 * Runs the program with its arguments; without any it serves.
 *
 * @returns The exit code: 2 after a usage error, which is printed.
 * @throws {StartError} when the command fails.
 */
export async function runProgram(words: readonly string[], given: Given): Promise<number> {
  let exitCode = 0
  const program = new Command('holdfast')
  const ending: Ending =
    (work) =>
    async (...said) => {
      exitCode = await work(...said)
    }
  const { environment, terminal, random, clock } = given
  describe(program, terminal)
  addServerCommands(program, { given, ending })
  addRemoteCommands(program, {
    remote: {
      environment,
      terminal,
      newId: random.id,
      now: clock.now,
      sleep: Bun.sleep,
      machine: hostname(),
    },
    ending,
  })
  program.commandsGroup('Other commands:')
  addCompletion(program, terminal.print)
  try {
    await program.parseAsync(isServe(words) ? ['serve'] : [...words], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
    // The reader of the output has closed it, as `head` does, which is no error.
    if (errorCode(error) === 'EPIPE') return 0
    const why = explain(error)
    if (why === undefined) throw error
    terminal.warn(`holdfast: ${why}`)
    return error instanceof UsageFailure ? USAGE : FAILED
  }
}

function describe(program: Command, { output, errors }: Terminal): void {
  program
    .configureOutput({ writeOut: (text) => output.write(text), writeErr: (text) => errors.write(text) })
    .description('The file host you run yourself. Without a command, starts the server.')
    // Descriptions name the defaults that are worth a word.
    .configureHelp({ optionDescription: ({ description }) => description })
    .version(VERSION)
    .helpCommand(true)
    .exitOverride()
    .showHelpAfterError('Run the command with --help for its usage.')
    .showSuggestionAfterError()
}

/** Adds the commands that work on the data folder itself. Their modules are loaded on use. */
function addServerCommands(program: Command, { given, ending }: { given: Given; ending: Ending }): void {
  program.commandsGroup('Server commands (use DATA_PATH):')
  program
    .command('serve')
    .description('start the server, configured by environment variables and the file .env')
    .action(ending(() => runServe(given)))
  program
    .command('thumbnail <widths...>', { hidden: true })
    .description('make thumbnails of standard input, for the server')
    .action(
      ending(async (widths: string[]) => (await import('./thumbnail.ts')).runThumbnail(widths.map(Number))),
    )
  program
    .command('demo')
    .description('start a temporary instance with sample files; it is removed on exit')
    .option('--port <port>', 'port to listen on; any free one by default', portNumber, 0)
    .action(
      ending(async ({ port }: { port: number }) =>
        (await import('./demo/demo.ts')).runDemo({ ...given, port }),
      ),
    )
  program
    .command('verify')
    .description('compare the stored files with the catalog, and print the differences')
    .option('--deep', 'read every file and compare its SHA-256', false)
    .action(
      ending(async ({ deep }: { deep: boolean }) =>
        (await import('./verify.ts')).runVerify(configOf(given), { ...given, deep }),
      ),
    )
  program
    .command('repair')
    .description('make the catalog match the stored files; stop all servers first')
    .requiredOption('--adopt', 'add files and folders that the catalog does not know')
    .option('--deep', 'read every file', false)
    .option(
      '--from <folder...>',
      'take ids, visibility and accounts from backups, or from a folder "db" that was moved away; the first has priority',
    )
    .option('--yes', 'apply the changes instead of listing them', false)
    .action(
      ending(async (options: { deep: boolean; from?: string[]; yes: boolean }) => {
        const config = configOf(given)
        const run = config.objectStore
          ? (await import('./repair-objects.ts')).runObjectRepair
          : (await import('./repair.ts')).runRepair
        return run(config, { ...given, ...options })
      }),
    )
  addCopies(program, { given, ending })
  addAdminCommands(program, { given, ending })
}

/** Adds the commands about accounts. */
function addAdminCommands(program: Command, { given, ending }: { given: Given; ending: Ending }): void {
  const config = () => configOf(given)
  const admin = program.command('admin').description('manage accounts')
  admin
    .command('create <email>')
    .description('add an admin and print its password; stop the server first, unless the database is shared')
    .option('--name <name>', 'name of the account; the part before the @ by default')
    .option('--password-stdin', 'read the password from standard input instead of generating one', false)
    .action(
      ending(async (email: string, { name, passwordStdin }: { name?: string; passwordStdin: boolean }) => {
        const password = passwordStdin ? await readPassword(given.terminal) : undefined
        const { runCreateAdmin } = await import('./create-admin.ts')
        return runCreateAdmin(config(), { ...given, email, name, password })
      }),
    )
  admin
    .command('reset-password <email>')
    .description('print a new password for an account; stop the server first, unless the database is shared')
    .option('--delete-keys', 'delete the API keys of the account, and end what they shared', false)
    .option('--end-shares', 'end all shares of the account', false)
    .option('--keep-second-factor', 'keep the codes, recovery codes and passkeys of the account', false)
    .option('--keep-linked', 'keep the link of the account to a provider', false)
    .action(
      ending(async (email: string, options: ResetPasswordOptions) =>
        (await import('./reset-password.ts')).runResetPassword(config(), { ...given, ...options, email }),
      ),
    )
  admin
    .command('reset-second-factor <email>')
    .description(
      'remove the codes and passkeys of an account; stop the server first, unless the database is shared',
    )
    .action(
      ending(async (email: string) =>
        (await import('./reset-second-factor.ts')).runResetSecondFactor(config(), { ...given, email }),
      ),
    )
  admin
    .command('sign-in-link <email>')
    .description('print a link that signs in once; stop the server first, unless the database is shared')
    .action(
      ending(async (email: string) =>
        (await import('./sign-in-link.ts')).runSignInLink(config(), { ...given, email }),
      ),
    )
  admin
    .command('folders <email>')
    .description(
      'print or change the folders of an account; stop the server first, unless the database is shared',
    )
    .option(
      '--let-in <key=rights>',
      'limit it to a folder, with view, add or edit, and +share; repeatable',
      folderWithRights,
      [],
    )
    .option(
      '--let-out <key>',
      'take a folder from it; repeatable',
      (key: string, before: string[]) => [...before, key],
      [],
    )
    .option('--everything', 'let it into everything', false)
    .action(
      ending(
        async (
          email: string,
          options: { letIn: FolderWithRights[]; letOut: string[]; everything: boolean },
        ) => (await import('./folders.ts')).runFolders(config(), { ...given, ...options, email }),
      ),
    )
}

/** Reads a password from standard input, without its line feed. */
const readPassword = async (terminal: Terminal): Promise<string> =>
  (await new Response(terminal.input()).text()).replace(/\r?\n$/, '')

function portNumber(word: string): number {
  if (/^\d{1,5}$/.test(word) && Number(word) <= 65_535) return Number(word)
  throw new InvalidArgumentError('It must be a port number from 0 to 65535.')
}

function addCopies(program: Command, { given, ending }: { given: Given; ending: Ending }): void {
  program
    .command('backup <folder>')
    .description('make a backup in a folder')
    .option('--keep <count>', 'then keep only the newest <count> backups', wholeCount)
    .action(
      ending(async (folder: string, { keep }: { keep?: number }) =>
        (await import('./backup.ts')).runBackup(configOf(given), { ...given, folder, keep }),
      ),
    )
  program
    .command('restore <folder>')
    .description(
      'restore a backup to an empty data folder, and to an empty shared database if one is configured',
    )
    .option('--at <backup>', 'name of the backup; the latest by default')
    .action(
      ending(async (folder: string, { at }: { at?: string }) =>
        (await import('./restore.ts')).runRestore(configOf(given), { ...given, folder, at }),
      ),
    )
  program
    .command('move-to <folder>')
    .description('move the instance to an object store or a shared database, or back to a data folder')
    .option(
      '--rows-only',
      'move only the rows of a shared database; the files stay in the object store',
      false,
    )
    .action(
      ending(async (folder: string, { rowsOnly }: { rowsOnly: boolean }) =>
        (await import('./move-to.ts')).runMoveTo(configOf(given), { ...given, folder, rowsOnly }),
      ),
    )
  program
    .command('import <dir>')
    .description(
      'copy a folder of files into the instance; stop the server first, unless the database is shared',
    )
    .option('--folder <folder>', 'target folder, created if missing', '')
    .option('--public', 'make the files public; by default they are private', false)
    .action(
      ending(async (from: string, options: { folder: string; public: boolean }) => {
        const visibility = options.public ? 'public' : 'private'
        const { runImport } = await import('./import.ts')
        return runImport(configOf(given), { ...given, from, folder: options.folder, visibility })
      }),
    )
}
