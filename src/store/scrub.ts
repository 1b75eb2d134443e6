import type { Query } from '../catalog/engine/query.ts'
import type { HeldProblem } from '../catalog/instance/integrity.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import type { TrashedFile } from '../catalog/tree/trash.ts'
import type { VersionRow } from '../catalog/tree/versions.ts'
import type { Log } from '../platform/log.ts'
import { DAY_MS } from '../platform/time.ts'
import type { Pace } from '../volume/stored-file.ts'
import type { FileProblem } from './content.ts'
import { heldPath } from './trash/rows.ts'
import { findKey, type TreeDeps } from './tree.ts'
import { type EventData, eventOf } from './webhook-events.ts'

const MiB = 1024 ** 2

/** Name of the fact that holds the next position in the list of files by id, across restarts. */
const POSITION = 'scrubPosition'
/** Beginning of a position in the list of versions, which follows that of files. */
const OF_VERSIONS = 'version '
/** Beginning of a position in the list of files in the trash, which comes last. */
const OF_TRASH = 'trash '
/** Cost of opening a file, in bytes read. */
const OPEN_BYTES = 64 * 1024
/** Maximum bytes read in a second, unless the volume is too large for that. */
const BYTES_PER_SECOND = 8 * MiB
/** Files between two saves of the position. */
const KEEP_AFTER_FILES = 64

/** Reads bytes and returns their problem. */
export interface Contents {
  ofFile: (file: FileRow, key: string, pace: Pace) => Promise<FileProblem | undefined>
  ofVersion: (version: VersionRow, pace: Pace) => Promise<FileProblem | undefined>
  /** @param path Place below `trash/`; `undefined` when rows above the file are missing. */
  ofTrashed: (file: TrashedFile, path: string | undefined, pace: Pace) => Promise<FileProblem | undefined>
}

interface ScrubDeps extends Pick<TreeDeps, 'catalog' | 'clock' | 'random'> {
  log: Log
  contents: Contents
  /** Days in which every file is read once; 0 for never. */
  days: number
}

export type Scrub = Pick<ReturnType<typeof createScrub>, 'advance' | 'lookAgain' | 'stop'>

/** File or version to check next. */
interface Due {
  position: string
  size: number
  check: (pace: Pace) => Promise<void>
}

/** Splits a position into the list and the id in it. */
function placeOf(position: string): ['tree' | 'versions' | 'trash', string] {
  if (position.startsWith(OF_VERSIONS)) return ['versions', position.slice(OF_VERSIONS.length)]
  if (position.startsWith(OF_TRASH)) return ['trash', position.slice(OF_TRASH.length)]
  return ['tree', position]
}

/** Error that ends the read of a file when the server stops. */
class Stopped extends Error {}

/**
 * Reads every file, version and file in the trash once in some days and compares it with the catalog, so that bit rot is noticed
 * while a backup still exists. Problems stay in the catalog until they are gone.
 */
export function createScrub({ catalog, contents, clock, random, log, days }: ScrubDeps) {
  let lastRun = clock.monotonic()
  /** Bytes that may be read now; negative after a large file. */
  let credit = 0
  let stopped = false
  let running: Promise<void> = Promise.resolve()

  async function costs(): Promise<number> {
    const { public: shown, private: hidden } = await catalog.totals.byVisibility()
    const versions = await catalog.versions.total()
    const trash = await catalog.trash.total()
    return [shown, hidden, versions, trash].reduce(
      (sum, { count, size }) => sum + size + count * OPEN_BYTES,
      0,
    )
  }

  /** Sleeps so that reading is no faster than necessary. */
  const paceFor = (total: number) => {
    const rate = Math.max(BYTES_PER_SECOND, (2 * total) / ((days * DAY_MS) / 1000))
    return async (bytes: number) => {
      await Bun.sleep((bytes / rate) * 1000)
      if (stopped) throw new Stopped()
    }
  }

  async function check(file: FileRow, pace: Pace): Promise<void> {
    const key = await catalog.read(() => findKey(catalog, file))
    if (key === undefined) return
    const problem = await contents.ofFile(file, key, pace)
    if (stopped) throw new Stopped()
    const keyNow = await catalog.read(function* () {
      const now = yield* catalog.files.byId(file.id)
      return now && (yield* findKey(catalog, now))
    })
    // The file was moved or deleted meanwhile; the next round reads it in its new state.
    if (keyNow !== key) return
    await record(file.id, key, problem)
  }

  /** Checks a version. Restoring a damaged one is refused. */
  async function checkVersion(version: VersionRow, pace: Pace): Promise<void> {
    const { id } = version
    const problem = await contents.ofVersion(version, pace)
    if (stopped) throw new Stopped()
    if (await catalog.versions.byId(id)) await recordHeld('version', { id, path: `versions/${id}`, problem })
  }

  async function checkTrashed(file: TrashedFile, pace: Pace): Promise<void> {
    const path = await catalog.read(() => heldPath(catalog, file))
    const problem = await contents.ofTrashed(file, path, pace)
    if (stopped) throw new Stopped()
    const pathNow = await catalog.read(function* () {
      const now = yield* catalog.trash.file(file.id)
      const isPurging = (yield* catalog.trash.byId(file.trashId))?.purging
      return now && !isPurging ? yield* heldPath(catalog, now) : undefined
    })
    // It was restored or removed meanwhile, or a part of its rows is on the way.
    if (path === undefined || pathNow !== path) return
    await recordHeld('trash', { id: file.id, path: `trash/${path}`, problem })
  }

  /** Returns what follows a position; `undefined` after the last. */
  async function next(position: string): Promise<Due | undefined> {
    const [place, id] = placeOf(position)
    if (place === 'tree') {
      const [file] = await catalog.files.after(id, 1)
      if (file) return { position: file.id, size: file.size, check: (pace) => check(file, pace) }
    }
    if (place !== 'trash') {
      const [version] = await catalog.versions.after(place === 'tree' ? '' : id, 1)
      if (version) {
        const { id, size } = version
        return { position: OF_VERSIONS + id, size, check: (pace) => checkVersion(version, pace) }
      }
    }
    const [file] = await catalog.trash.filesAfter(place === 'trash' ? id : '', 1)
    return (
      file && { position: OF_TRASH + file.id, size: file.size, check: (pace) => checkTrashed(file, pace) }
    )
  }

  async function recordHeld(
    place: HeldProblem['place'],
    { id, path, problem }: { id: string; path: string; problem: FileProblem | undefined },
  ): Promise<void> {
    const known = (await catalog.integrity.heldById(id))?.problem
    if (problem === known) return
    const what = place === 'trash' ? 'file in the trash' : 'version of a file'
    if (problem) log.info(`A ${what} is not what it was: ${JSON.stringify(path)}: ${problem}`)
    await catalog.transact(function* () {
      if (!problem) return yield* catalog.integrity.clearHeld(id)
      yield* catalog.integrity.putHeld({ id, place, problem, foundAt: clock.now() })
      yield* announce({ place: place === 'trash' ? place : 'versions', id, path, problem })
    })
  }

  const announce = (alert: EventData['integrity.failed']): Query<void> =>
    catalog.webhookDeliveries.announce(eventOf({ clock, random }, 'integrity.failed', alert))

  async function record(fileId: string, key: string, problem: FileProblem | undefined): Promise<void> {
    const known = (await catalog.integrity.byFile(fileId))?.problem
    if (problem === known) return
    if (problem) log.info(`A stored file is not what it was: ${JSON.stringify(key)}: ${problem}`)
    await catalog.transact(function* () {
      if (!problem) return yield* catalog.integrity.clear(fileId)
      if (!(yield* catalog.files.byId(fileId))) return
      yield* catalog.integrity.put({ fileId, problem, foundAt: clock.now() })
      yield* announce({ place: 'files', id: fileId, path: key, problem })
    })
  }

  async function advance(): Promise<void> {
    const now = clock.monotonic()
    const total = await costs()
    credit = Math.min(credit + (total * (now - lastRun)) / (days * DAY_MS), total)
    lastRun = now
    const pace = paceFor(total)
    let position = (await catalog.instance.get(POSITION)) ?? ''
    const keep = () => catalog.transact(() => catalog.instance.set(POSITION, position))
    for (let looked = 1; credit > 0; looked++) {
      const found = await next(position)
      position = found?.position ?? ''
      if (!found) break
      credit -= found.size + OPEN_BYTES
      await found.check(pace)
      await pace(OPEN_BYTES)
      if (looked % KEEP_AFTER_FILES === 0) await keep()
    }
    if (position !== ((await catalog.instance.get(POSITION)) ?? '')) await keep()
  }

  /** Checks what has a known problem again. */
  async function lookAgain(): Promise<void> {
    const pace = paceFor(await costs())
    for (const id of await catalog.integrity.fileIds()) {
      const file = await catalog.files.byId(id)
      if (file) await check(file, pace)
    }
    for (const { id, place } of await catalog.integrity.held()) {
      const version = place === 'version' ? await catalog.versions.byId(id) : undefined
      const file = place === 'trash' ? await catalog.trash.file(id) : undefined
      if (version) await checkVersion(version, pace)
      else if (file) await checkTrashed(file, pace)
      else await catalog.transact(() => catalog.integrity.clearHeld(id))
    }
  }

  /** Serializes work; a stop ends it without an error. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    if (days === 0) return Promise.resolve()
    const turn = running.then(async () => {
      if (!stopped) await work()
    })
    running = turn.catch(() => {})
    return turn.catch((error) => {
      if (!(error instanceof Stopped)) throw error
    })
  }

  return {
    /** Records a problem, or that there is none any more. */
    record,
    /** Records a problem of a version or a file in the trash, or that there is none any more. */
    recordHeld,
    /** Reads as much as is due since the last call. */
    advance: (): Promise<void> => inTurn(advance),
    lookAgain: (): Promise<void> => inTurn(lookAgain),
    /** Stops the work under way soon. */
    stop: (): Promise<void> => {
      stopped = true
      return running
    },
  }
}
