import { statSync } from 'node:fs'
import { objectStoreOf } from '../blobs/open.ts'
import { count as countOf, readableBytes } from '../platform/amounts.ts'
import type { Config, Visibility } from '../platform/config.ts'
import { Refusal, StartError } from '../platform/errors.ts'
import { scheduleJobs } from '../platform/jobs.ts'
import { isAmbiguous } from '../platform/listing.ts'
import { isAtOrBelow, parseFolderKey } from '../platform/names.ts'
import type { Services } from '../platform/platform.ts'
import { applyAdoption, type Change, planAdoption } from '../store/folder/adopt.ts'
import { assertOnDisk } from '../store/instance.ts'
import { importTree } from '../store/objects/import.ts'
import { openStore } from '../store/store.ts'
import { assertCapable } from '../volume/capable.ts'
import { isWithin, lockLayout, prepareLayout, type VolumePaths } from '../volume/layout.ts'
import { type Taken, takeIn } from '../volume/take-in.ts'
import { asStartError } from './open-catalog.ts'
import { openStopped } from './repair.ts'

export interface ImportCommand extends Services {
  /** Folder of the tree to import. */
  from: string
  /** Key of the target folder. */
  folder: string
  visibility: Visibility
}

/** Numbers of what an import found. */
interface Outcome {
  /** Files that are there. */
  files: number
  bytes: number
  /** Files that are new. */
  added: number
  left: number
}

/**
 * Runs `import`: copies a tree of files into the data folder or the object store, adds it to the catalog and reports what
 * was left out. Run again, it continues where it was interrupted.
 *
 * @returns The exit code: 0 when all of it is there, 1 when something was left out.
 * @throws {StartError} when there is no such tree, or no room for it, or a server has the data folder open.
 */
export async function runImport(config: Config, command: ImportCommand): Promise<number> {
  const { from, log } = command
  if (!statSync(from, { throwIfNoEntry: false })?.isDirectory())
    throw new StartError(`There is no folder "${from}"`)
  if (isAmbiguous(from)) throw new StartError(`The name of "${from}" is not UTF-8`)
  const paths = prepareLayout(config.dataPath)
  if (isWithin(from, paths.root) || isWithin(paths.root, from))
    throw new StartError(
      'The tree and the data folder must not contain each other. To adopt files in place, see "repair --adopt"',
    )
  const into = config.objectStore ? importIntoStore : importIntoFolder
  try {
    const to = parseFolderKey(command.folder)
    const { files, bytes, added, left } = await into({ config, command, paths, to })
    log.info(
      `Imported ${countOf(added, 'file')} into "${to.join('/')}"; ${files - added} there already; ${left} left out (${readableBytes(bytes)} in all)`,
    )
    return left === 0 ? 0 : 1
  } catch (error) {
    throw asStartError(error)
  }
}

interface Import {
  config: Config
  command: ImportCommand
  paths: VolumePaths
  /** Names from the root to the target folder. */
  to: string[]
}

async function importIntoFolder({ command, paths, to }: Import): Promise<Outcome> {
  const lock = lockLayout(paths)
  try {
    const { catalog, volume, unfinished } = await openStopped(paths, command)
    try {
      if (unfinished.summary()) throw new StartError('Unfinished operations could not be finished: see above')
      await assertOnDisk(catalog)
      assertCapable(paths)
      const claimRoom = volume.createClaim()
      const claim = (count: number) => {
        volume.assertPresent()
        claimRoom(count)
      }
      const outcome = await count(takeIn({ paths, from: command.from, to, claim }), command)
      const changes = additions(planAdoption({ ...command, catalog, volume, deep: false }), to.join('/'))
      outcome.added = 0
      await applyAdoption({ ...command, catalog, volume }, changes, ({ kind }) => {
        if (kind === 'add file') outcome.added += 1
      })
      return outcome
    } finally {
      catalog.close()
    }
  } catch (error) {
    throw error instanceof Refusal ? new StartError(error.message, { cause: error }) : error
  } finally {
    lock.release()
  }
}

/** Imports as a server without clients: others of the same database may run, but none on this data folder. */
async function importIntoStore({ config, command, to }: Import): Promise<Outcome> {
  const { store, close } = await openStore({
    ...command,
    config,
    objects: config.objectStore && objectStoreOf(config.objectStore, command),
    onUnknownOutcome: () => {},
  })
  const jobs = scheduleJobs(store.jobs, { ...command, claim: store.claim })
  try {
    return await count(importTree({ ...command, store, to, now: command.clock.now }), command)
  } finally {
    jobs.stop()
    await close()
  }
}

/** Reports each entry that is left out, and returns the numbers. */
async function count(entries: AsyncIterable<Taken>, { log }: ImportCommand): Promise<Outcome> {
  const outcome = { files: 0, bytes: 0, added: 0, left: 0 }
  for await (const taken of entries) {
    if (taken.outcome === 'left out') {
      outcome.left += 1
      log.info(`${JSON.stringify(taken.path)}: left out: ${taken.why}`)
      continue
    }
    outcome.files += 1
    outcome.bytes += taken.bytes
    if (taken.outcome === 'copied') outcome.added += 1
  }
  return outcome
}

/** Yields the differences below the target only, because the others are not part of this import. */
async function* additions(changes: AsyncIterable<Change>, target: string): AsyncGenerator<Change> {
  for await (const change of changes) {
    const isAbove = change.kind === 'add folder' && target.startsWith(`${change.key}/`)
    if (change.kind.startsWith('add ') && (isAtOrBelow(change.key, target) || isAbove)) yield change
  }
}
