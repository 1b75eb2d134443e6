import { type Command, Option } from 'commander'
import { byteCount, seconds, wholeCount } from './arguments.ts'
import type { DeployOptions } from './deploy.ts'
import type { PutOptions } from './put.ts'
import type { Remote } from './remote.ts'
import type { DropBoxOptions, ShareOptions } from './shares.ts'
import type { SyncOptions } from './sync.ts'
import type { DeleteOptions } from './trash.ts'

/** Returns an action that exits with the code of its work. */
export type Ending = <Words extends unknown[]>(
  work: (...words: Words) => Promise<number>,
) => (...words: Words) => Promise<void>

/** Adds the commands that talk to a server. Their modules are loaded on use. */
export function addRemoteCommands(
  program: Command,
  { remote, ending }: { remote: Remote; ending: Ending },
): void {
  program.commandsGroup('Client commands (any server):')
  addTransfers(program, { remote, ending })
  program
    .command('ls [folder]')
    .description('list a folder')
    .option('-l, --long', 'show visibility, size and time', false)
    .option('--json', 'print one JSON object per line', false)
    .action(
      ending(async (folder: string | undefined, options: { long: boolean; json: boolean }) =>
        (await import('./entries.ts')).list(remote, folder ?? '', options),
      ),
    )
  program
    .command('rm <keys...>')
    .description('move files to the trash')
    .option('-r, --recursive', 'also move folders with everything in them', false)
    .option('--permanent', 'delete permanently instead', false)
    .action(
      ending(async (keys: string[], options: DeleteOptions & { recursive: boolean }) =>
        (await import('./entries.ts')).remove(remote, keys, options),
      ),
    )
  program
    .command('cp <from> <to>')
    .description('copy a file or folder, and print the key of the copy')
    .action(ending(async (from: string, to: string) => (await import('./entries.ts')).copy(remote, from, to)))
  program
    .command('mv <from> <to>')
    .description('move or rename a file or folder')
    .action(ending(async (from: string, to: string) => (await import('./entries.ts')).move(remote, from, to)))
  program
    .command('sign <key>')
    .description('print a signed link to a file, which expires')
    .option('--expires <time>', 'lifetime, such as 90s, 15m, 12h or 7d', seconds)
    .action(
      ending(async (key: string, options: { expires?: number }) =>
        (await import('./entries.ts')).sign(remote, key, options),
      ),
    )
  addChanges(program, { remote, ending })
  addTrash(program, { remote, ending })
  addShares(program, { remote, ending })
  addTrees(program, { remote, ending })
}

function addChanges(program: Command, { remote, ending }: { remote: Remote; ending: Ending }): void {
  program
    .command('search <text>')
    .description('find files and folders by name, best matches first')
    .option('--folder <folder>', 'search in this folder only')
    .option('--json', 'print one JSON object per line', false)
    .action(
      ending(async (text: string, options: { folder?: string; json: boolean }) =>
        (await import('./entries.ts')).search(remote, text, options),
      ),
    )
  program
    .command('mkdir <folders...>')
    .description('create folders, and missing folders above them')
    .action(ending(async (keys: string[]) => (await import('./entries.ts')).makeFolders(remote, keys)))
  for (const [command, visibility, description] of [
    ['publish', 'public', 'make files public, and all files in folders, and print their addresses'],
    ['private', 'private', 'make files private, and all files in folders'],
  ] as const)
    program
      .command(`${command} <keys...>`)
      .description(description)
      .action(
        ending(async (keys: string[]) =>
          (await import('./entries.ts')).setVisibility(remote, keys, visibility),
        ),
      )
}

function addTransfers(program: Command, { remote, ending }: { remote: Remote; ending: Ending }): void {
  program
    .command('login <url>')
    .description('log in to a server: approve it in your browser, or give an API key')
    .addOption(new Option('--key', 'ask for an API key, or read it from standard input').conflicts('browser'))
    .option('--browser', 'approve in a browser on any machine; the default in a terminal')
    .action(
      ending(async (url: string, options: { key?: boolean; browser?: boolean }) =>
        (await import('./login.ts')).login(remote, url, options),
      ),
    )
  program
    .command('logout')
    .description('remove the saved address and API key')
    .action(ending(async () => (await import('./login.ts')).logOut(remote)))
  program
    .command('whoami')
    .description('print the account of the saved API key')
    .action(ending(async () => (await import('./login.ts')).whoAmI(remote)))
  program
    .command('put <files...>')
    .description('upload files and print their addresses; "-" is standard input')
    .option('--folder <folder>', 'target folder, created if missing')
    .option('--name <name>', 'file name for standard input')
    .addOption(new Option('--private', 'make files private').conflicts('public'))
    .option('--public', 'make files public; default: the setting of the instance')
    .option('--replace', 'replace files with the same name, which keep their visibility and links', false)
    .action(
      ending(async (files: string[], options: PutOptions) =>
        (await import('./put.ts')).put(remote, files, options),
      ),
    )
  program
    .command('get <key> [target]')
    .description(
      'download a file, a folder as a ZIP archive, or the files of a share by its link; the target "-" is standard output',
    )
    .option('-f, --force', 'replace an existing file', false)
    .action(
      ending(async (key: string, target: string | undefined, options: { force: boolean }) =>
        (await import('./get.ts')).get(remote, key, target, options),
      ),
    )
}

function addTrash(program: Command, { remote, ending }: { remote: Remote; ending: Ending }): void {
  const trash = program.command('trash').description('list and restore deleted files and folders')
  trash
    .command('ls')
    .description('list the trash, newest first')
    .option('--json', 'print one JSON object per line', false)
    .action(
      ending(async (options: { json: boolean }) => (await import('./trash.ts')).listTrash(remote, options)),
    )
  trash
    .command('restore <keys...>')
    .description('restore the latest item of each key, or items by id, and print where they are')
    .action(ending(async (keys: string[]) => (await import('./trash.ts')).restore(remote, keys)))
}

function addShares(program: Command, { remote, ending }: { remote: Remote; ending: Ending }): void {
  addRules(program.command('share <keys...>'))
    .description('create a link to files and folders for visitors, and print it')
    .option('--downloads <number>', 'maximum number of downloads', wholeCount)
    .action(
      ending(async (keys: string[], options: ShareOptions) =>
        (await import('./shares.ts')).share(remote, keys, options),
      ),
    )
  addRules(program.command('dropbox <folder>'))
    .description('create a link for others to upload into a folder, and print it')
    .option('--files <number>', 'maximum number of files', wholeCount)
    .option('--size <size>', 'maximum size of all files together, such as 500MiB or 2GiB', byteCount)
    .option('--types <types...>', 'accepted types, such as image/* or .pdf')
    .action(
      ending(async (folder: string, options: DropBoxOptions) =>
        (await import('./shares.ts')).dropBox(remote, folder, options),
      ),
    )
  program
    .command('shares')
    .description('list your shares, newest first')
    .option('--json', 'print one JSON object per line', false)
    .action(
      ending(async (options: { json: boolean }) => (await import('./shares.ts')).listShares(remote, options)),
    )
  program
    .command('unshare <links...>')
    .description('stop sharing, by link or short name')
    .action(ending(async (links: string[]) => (await import('./shares.ts')).unshare(remote, links)))
}

/** Adds the options for rules that every share can have. */
const addRules = (command: Command): Command =>
  command
    .option('--title <title>', 'title of the page')
    .option('--note <note>', 'text below the title')
    .option('--slug <name>', 'short name in the link; default: random characters')
    .option(
      '--password',
      'protect the share with a password, which you enter or send as standard input',
      false,
    )
    .option('--expires <time>', 'lifetime, such as 90s, 15m, 12h or 7d', seconds)
    .option('--qr', 'also print the link as a QR code', false)

function addTrees(program: Command, { remote, ending }: { remote: Remote; ending: Ending }): void {
  program
    .command('sync <dir> <folder>')
    .description('upload the new and changed files of a local folder, compared by checksum')
    .option('--delete', 'move files that exist only on the server to the trash', false)
    .option('--permanent', 'with --delete, delete them permanently', false)
    .option('--yes-delete-everything', 'allow --delete in the root folder', false)
    .option('--dry-run', 'only print what would change', false)
    .addOption(new Option('--private', 'make new files private').conflicts('public'))
    .option('--public', 'make new files public')
    .action(
      ending(async (dir: string, folder: string, options: SyncOptions) =>
        (await import('./sync.ts')).sync(remote, dir, folder, options),
      ),
    )
  program
    .command('deploy [dir]')
    .description('publish a website atomically')
    .option('--folder <folder>', 'target folder; default: that of the site, or the name of <dir>')
    .option('--site <name>', 'show the folder as a site with this name, made if missing')
    .option('--domain <domains...>', 'with --site, also at these hosts')
    .option('--preview <name>', 'with --site, deploy beside it, as a site of its own that ends')
    .option('--keep <time>', 'lifetime of a preview, such as 12h or 7d; default: 30d', seconds)
    .option('--spa', 'with --site, show the start page for pages that do not exist')
    .option(
      '--password',
      'with --site, ask visitors for a password, which you enter or send as standard input',
    )
    .option('--private', 'make files private')
    .option('--rollback', 'return to the previous version', false)
    .action(
      ending(async (dir: string | undefined, options: DeployOptions) =>
        (await import('./deploy.ts')).deploy(remote, dir, options),
      ),
    )
}
