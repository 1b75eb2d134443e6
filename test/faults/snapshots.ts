import { Database } from 'bun:sqlite'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startInside } from '../support/holdfast.ts'
import type { Actor } from './actor.ts'
import { isStopped } from './cut.ts'
import { inspect } from './inspect.ts'
import type { State } from './state.ts'
import { controlOf } from './sweep.ts'
import type { Account, World } from './world.ts'

/**
 * Stops the server before each of the calls while `begin` runs, and lets `take` look at its folder as a kill would leave
 * it there. With `take` returning false the rest runs without stops.
 */
export async function atEachCall<Value>(
  world: World,
  calls: number,
  begin: () => Promise<Value>,
  take: (nth: number) => boolean,
): Promise<Value> {
  const control = controlOf(world)
  let isOver = false
  let held = 0
  const goOn = () => {
    try {
      process.kill(control.pid(), 'SIGCONT')
    } catch {
      // It was killed.
    }
  }
  control.arm({ calls, nth: 0, action: 'hold' })
  const working = begin().finally(() => {
    control.disarm()
    isOver = true
  })
  while (!isOver) {
    // The count comes first, so a process that stops belongs to it.
    if (control.hits() > held && isStopped(control.pid())) {
      held += 1
      if (!take(held)) control.disarm()
      goOn()
    } else await Bun.sleep(0.5)
  }
  // A call of the background may have been held when the work ended.
  let isAnswered = !world.isAlive()
  const answered = isAnswered ? undefined : world.fetch('/api/health').catch(() => {})
  void answered?.then(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    if (isStopped(control.pid())) goOn()
    await Bun.sleep(0.5)
  }
  return await working
}

/** Entry of a data folder. */
interface Entry {
  path: string
  inode: string
  /** Changes whenever content or links do. */
  version: string
}

/** Returns all entries of a folder but SQLite's index of the log, which no start after a kill reads. */
function entriesOf(folder: string): Entry[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => !path.endsWith('-shm'))
    .sort()
    .map((path) => {
      const { ino, size, mtimeNs, nlink } = lstatSync(join(folder, path), { bigint: true })
      return { path, inode: String(ino), version: `${path} ${ino} ${size} ${mtimeNs} ${nlink}` }
    })
}

/** Returns a text that differs between any two states of a folder. */
export const versionOf = (folder: string): string =>
  entriesOf(folder)
    .map(({ version }) => version)
    .join('\n')

/** Copies a folder with its hard links. */
export function copyFolder(dataPath: string, to: string): void {
  const { success, stderr } = Bun.spawnSync(['cp', '-a', '--reflink=auto', dataPath, to])
  if (!success) throw new Error(`The copy failed: ${stderr}`)
}

/** Copies a folder whose server is stopped, for `recover`. */
export function snapshot(dataPath: string, to: string): void {
  copyFolder(dataPath, to)
  renumber(dataPath, to)
}

/** Makes the intents of a copy refer to its own inodes. */
export function renumber(dataPath: string, to: string): void {
  const originals = entriesOf(dataPath)
  const copies = new Map(entriesOf(to).map(({ path, inode }) => [path, inode]))
  const inodes = new Map(originals.map(({ path, inode }) => [inode, copies.get(path) ?? inode]))
  renumberIntents(to, inodes)
}

/** Replaces inodes in the intents of a copy. A database without such intents remains as the kill left it. */
function renumberIntents(dataPath: string, inodes: ReadonlyMap<string, string>): void {
  const rows = intentsWithInodes(dataPath)
  if (rows.length === 0) return
  using database = new Database(join(dataPath, 'db', 'holdfast.sqlite'))
  for (const { id, plan } of rows) {
    const renumbered = plan.replace(
      /"inode":"(\d+)"/g,
      (_, inode) => `"inode":"${inodes.get(inode) ?? inode}"`,
    )
    database.run('UPDATE intents SET plan = ? WHERE id = ?', [renumbered, id])
  }
}

function intentsWithInodes(dataPath: string): { id: string; plan: string }[] {
  const path = join(dataPath, 'db', 'holdfast.sqlite')
  const index = `${path}-shm`
  // A start after a kill builds the index again; a copied one would be as it was with the server's locks.
  rmSync(index, { force: true })
  if (!existsSync(path)) return []
  try {
    using database = new Database(path, { readonly: true })
    const exists = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'intents'").get()
    if (!exists) return []
    return database
      .query<{ id: string; plan: string }, []>('SELECT id, plan FROM intents WHERE plan LIKE \'%"inode"%\'')
      .all()
  } finally {
    rmSync(index, { force: true })
  }
}

/** Starts a server on a snapshot in this process and inspects it. Removes the snapshot. */
export async function recover(
  dataPath: string,
  account: Account | undefined,
  actor: Actor,
): Promise<{ state: State | undefined; violations: string[] }> {
  try {
    await using holdfast = await startInside({ dataPath })
    const { state, violations } = await inspect(holdfast, account)
    return { state, violations: [...violations, ...actor.check(state)] }
  } catch (error) {
    return { state: undefined, violations: [`nothing starts on it: ${error}`] }
  } finally {
    rmSync(dataPath, { recursive: true, force: true })
  }
}

/** Returns the content of every entry of a folder but the index of the log, and the groups of its hard links. */
export function contentsOf(folder: string): Map<string, string> {
  const entries = entriesOf(folder)
  const links = Map.groupBy(entries, ({ inode }) => inode)
  return new Map(
    entries.map(({ path, inode }) => {
      const full = join(folder, path)
      const stat = lstatSync(full)
      // The size of a directory depends on the file system.
      const content = stat.isFile() ? readFileSync(full) : ''
      const bytes = `${content.length} ${new Bun.CryptoHasher('sha256').update(content).digest('hex')}`
      const linked = links.get(inode)?.map(({ path }) => path) ?? []
      return [path, `${stat.mode} ${bytes} ${linked}`]
    }),
  )
}
