import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import type { Tally } from '../support/tally.ts'
import type { Bench } from './bench.ts'
import { Control, DURABILITY_CALLS } from './control.ts'
import { type Attempt, sweep } from './sweep.ts'
import type { World } from './world.ts'

const KEEP = 2

/** Kills a backup that removes old ones at each durability call. All listed snapshots must be complete. */
export async function killBackups(bench: Bench, tally: Tally): Promise<void> {
  const world = await bench.startWorld()
  if (!world.account || !bench.shim) throw new Error('There is no account or no shim')
  const backups = join(bench.folder, 'backups')
  mkdirSync(backups)
  // A separate control, because the calls of the running server must not count.
  const control = new Control(backups, bench.shim)
  const api = apiOf(world, world.account)
  const backup = async () => {
    const { exitCode } = await world.command(['backup', backups, '--keep', String(KEEP)], control.environment)
    return exitCode
  }
  let count = 0
  const change = async () => {
    for (const { id } of await api.list()) await api.data('DELETE', '/files', { id })
    await api.upload('stays', 'the same in all')
    await api.upload(`f${count}`, `content ${count++}`)
  }
  for (let n = 0; n < KEEP; n++) {
    await change()
    await backup()
  }
  const { positions, violations } = await sweep(async (nth): Promise<Attempt> => {
    await change()
    const before = listed(backups)
    control.arm({ calls: DURABILITY_CALLS, nth, action: 'kill' })
    await backup()
    control.disarm()
    const hit = control.hits() > 0
    const killed = [...lostSnapshots(backups, before), ...incomplete(backups)]
    // Makes snapshots differ, so that each removal has objects to remove.
    await change()
    const exitCode = await backup()
    const finished = [...(exitCode === 0 ? [] : [`the next ended with ${exitCode}`]), ...leftOvers(backups)]
    return { hit, violations: [...killed, ...finished, ...incomplete(backups)] }
  })
  violations.push(...(await unrestorable(world, backups)))
  await world.remove()
  control.close()
  tally.add('backup that removes old ones, killed', positions, violations)
}

const listed = (backups: string) => readdirSync(join(backups, 'snapshots')).sort()
const objectPath = (backups: string, sha256: string) => join(backups, 'objects', sha256.slice(0, 2), sha256)

/** Returns missing snapshots: only the oldest may be gone, and only once a new one exists. */
function lostSnapshots(backups: string, before: readonly string[]): string[] {
  const now = listed(backups)
  const lost = before.filter((name) => !now.includes(name))
  if (!existsSync(join(backups, 'tmp'))) return ['it is no folder of backups any more']
  const isRight = lost.length === 0 || (lost.length === 1 && lost[0] === before[0] && now.length === KEEP)
  return isRight ? [] : [`snapshots are lost: ${lost}`]
}

function digestsOf(backups: string, name: string): string[] {
  using snapshot = new Database(join(backups, 'snapshots', name, 'holdfast.sqlite'), { readonly: true })
  return snapshot
    .query<{ sha256: string }, []>('SELECT sha256 FROM files')
    .all()
    .map(({ sha256 }) => sha256)
}

/** Returns what the listed snapshots lack. */
function incomplete(backups: string): string[] {
  const isWhole = (sha256: string) => {
    const path = objectPath(backups, sha256)
    return (
      existsSync(path) && new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex') === sha256
    )
  }
  return listed(backups).flatMap((name) =>
    digestsOf(backups, name)
      .filter((sha256) => !isWhole(sha256))
      .map((sha256) => `the snapshot ${name} lacks ${sha256}`),
  )
}

/** Returns entries that a completed backup should not leave. */
function leftOvers(backups: string): string[] {
  const needed = new Set(listed(backups).flatMap((name) => digestsOf(backups, name)))
  const objects = readdirSync(join(backups, 'objects'), { recursive: true })
    .map(String)
    .filter((path) => path.includes('/') && !needed.has(path.slice(3)))
  const snapshots = listed(backups).length === KEEP ? [] : [`there are ${listed(backups).length} snapshots`]
  return [...snapshots, ...objects.map((path) => `nobody needs ${path}`)]
}

async function unrestorable(world: World, backups: string): Promise<string[]> {
  const violations: string[] = []
  for (const [index, name] of listed(backups).entries()) {
    // The path of a data folder is short.
    const into = { DATA_PATH: join(backups, `${index}`) }
    const { exitCode, output } = await world.command(['restore', backups, '--at', name], into)
    if (exitCode !== 0) violations.push(`the snapshot ${name} cannot be restored: ${output}`)
  }
  return violations
}
