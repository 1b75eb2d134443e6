import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Remote } from './remote.ts'
import type { SyncOptions } from './sync.ts'

/** Returns an action that exits with the code of its work. */
export type Ending = <Words extends unknown[]>(
  work: (...words: Words) => Promise<number>,
) => (...words: Words) => Promise<void>

/** Adds the commands that talk to a server. Their modules are loaded on use. */
export function addRemoteCommands(
  program: Command,
  { remote, ending }: { remote: Remote; ending: Ending },
): void {
  program.commandsGroup('With a server anywhere:')
  addTransfers(program, { remote, ending })
  program
    .command('ls [folder]')
    .description('list a folder')
    .option('-l, --long', 'with visibility, size and time', false)
    .option('--json', 'one JSON object a line', false)
    .action(
      ending(async (folder: string | undefined, options: { long: boolean; json: boolean }) =>
        (await import('./entries.ts')).list(remote, folder ?? '', options),
      ),
    )
  program
    .command('rm <keys...>')
    .description('delete files')
    .option('-r, --recursive', 'also folders, with everything in them', false)
    .action(
      ending(async (keys: string[], options: { recursive: boolean }) =>
        (await import('./entries.ts')).remove(remote, keys, options),
      ),
    )
  program
    .command('mv <from> <to>')
    .description('move or rename a file or folder')
    .action(ending(async (from: string, to: string) => (await import('./entries.ts')).move(remote, from, to)))
  program
    .command('sign <key>')
    .description('print a link to a file that anyone can use for a while')
    .option('--expires <time>', 'such as 90s, 15m, 12h or 7d', parseDuration)
    .action(
      ending(async (key: string, options: { expires?: number }) =>
        (await import('./entries.ts')).sign(remote, key, options),
      ),
    )
  addTrees(program, { remote, ending })
}

function addTransfers(program: Command, { remote, ending }: { remote: Remote; ending: Ending }): void {
  program
    .command('login <url>')
    .description('keep an address, and an API key that is asked for or read from standard input')
    .action(ending(async (url: string) => (await import('./login.ts')).login(remote, url)))
  program
    .command('put <files...>')
    .description('store files, and print their addresses; "-" is standard input')
    .option('--folder <folder>', 'where to; made when missing')
    .option('--name <name>', 'what standard input is called')
    .addOption(new Option('--private', 'for signed links and API keys only').conflicts('public'))
    .option('--public', 'for everyone; else what the instance says')
    .action(
      ending(async (files: string[], options: { folder?: string; private?: boolean; public?: boolean }) =>
        (await import('./put.ts')).put(remote, files, options),
      ),
    )
  program
    .command('get <key> [target]')
    .description('fetch a file, or a folder as a ZIP archive; the target "-" is standard output')
    .option('-f, --force', 'replace a file that is there', false)
    .action(
      ending(async (key: string, target: string | undefined, options: { force: boolean }) =>
        (await import('./get.ts')).get(remote, key, target, options),
      ),
    )
}

function addTrees(program: Command, { remote, ending }: { remote: Remote; ending: Ending }): void {
  program
    .command('sync <dir> <folder>')
    .description('bring what is new or changed in a local folder to the server, by checksum')
    .option('--delete', 'delete what is only on the server', false)
    .option('--yes-delete-everything', 'allow --delete when the folder is the root', false)
    .option('--dry-run', 'only say what would be done', false)
    .addOption(
      new Option('--private', 'new files are for signed links and API keys only').conflicts('public'),
    )
    .option('--public', 'new files are for everyone')
    .action(
      ending(async (dir: string, folder: string, options: SyncOptions) =>
        (await import('./sync.ts')).sync(remote, dir, folder, options),
      ),
    )
  program
    .command('deploy <dir>')
    .description('put a website in the place of the one that is there, all of it at once')
    .option('--folder <folder>', 'where to; else the name of <dir>')
    .option('--private', 'for signed links and API keys only')
    .action(
      ending(async (dir: string, options: { folder?: string; private?: boolean }) =>
        (await import('./deploy.ts')).deploy(remote, dir, options),
      ),
    )
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

function parseDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,10})([smhd])?$/.exec(text) ?? []
  if (amount === undefined) throw new InvalidArgumentError('It must be such as 90s, 15m, 12h or 7d.')
  return Number(amount) * (SECONDS[unit] ?? 1)
}
