import { statSync } from 'node:fs'
import type { Clock } from '../platform/clock.ts'
import type { Config, Visibility } from '../platform/config.ts'
import { Refusal, StartError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { parseFolderKey } from '../platform/names.ts'
import type { Random } from '../platform/random.ts'
import { applyAdoption, type Change, planAdoption } from '../store/adopt.ts'
import { assertOnDisk } from '../store/instance.ts'
import { isWithin, lockLayout, prepareLayout } from '../volume/layout.ts'
import { takeIn } from '../volume/take-in.ts'
import { openStopped } from './repair.ts'

export interface ImportCommand {
  /** Folder of the tree to import. */
  from: string
  /** Key of the target folder. */
  folder: string
  visibility: Visibility
  clock: Clock
  random: Random
  log: Log
}

/**
 * Runs `import`: copies a tree of files into the data folder, adds it to the catalog and reports what was
 * left out. Run again, it continues where it was interrupted.
 *
 * @returns The exit code: 0 when all of it is there, 1 when something was left out.
 * @throws {StartError} when a server runs, there is no such tree, or there is no room for it.
 */
export async function runImport(config: Config, command: ImportCommand): Promise<number> {
  const { from, log } = command
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory())
    throw new StartError(`There is no folder "${from}"`)
  const paths = prepareLayout(config.dataPath)
  if (isWithin(from, paths.root) || isWithin(paths.root, from))
    throw new StartError(
      'The tree and the data folder must not contain each other. To adopt files in place, see "repair --adopt"',
    )
  const lock = lockLayout(paths)
  try {
    const { catalog, volume } = await openStopped(paths, command)
    try {
      await assertOnDisk(catalog, 'import')
      const to = parseFolderKey(command.folder)
      let [files, bytes, left] = [0, 0, 0]
      const claimRoom = volume.createClaim()
      const claim = (count: number) => {
        volume.assertPresent()
        claimRoom(count)
      }
      for await (const taken of takeIn({ paths, from, to, claim })) {
        if (taken.outcome === 'left out') {
          left += 1
          log.info(`${JSON.stringify(taken.path)}: left out: ${taken.why}`)
        } else {
          files += 1
          bytes += taken.bytes
        }
      }
      const target = to.join('/')
      const changes = additions(planAdoption({ ...command, catalog, volume, deep: false }), target)
      let added = 0
      await applyAdoption({ ...command, catalog, volume }, changes, ({ kind }) => {
        if (kind === 'add file') added += 1
      })
      log.info(
        `${files} file(s) of ${bytes} bytes are in "${target}", ${added} of them new; ${left} left out`,
      )
      return left === 0 ? 0 : 1
    } finally {
      catalog.close()
    }
  } catch (error) {
    throw error instanceof Refusal ? new StartError(error.message, { cause: error }) : error
  } finally {
    lock.release()
  }
}

/** Yields the differences below the target only, because the others are not part of this import. */
async function* additions(changes: AsyncIterable<Change>, target: string): AsyncGenerator<Change> {
  const isBelow = (key: string) => target === '' || key === target || key.startsWith(`${target}/`)
  for await (const change of changes) {
    const isAbove = change.kind === 'add folder' && target.startsWith(`${change.key}/`)
    if (change.kind.startsWith('add ') && (isBelow(change.key) || isAbove)) yield change
  }
}
