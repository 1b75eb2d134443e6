import type { FileRow } from '../catalog/files.ts'
import type { VersionRow } from '../catalog/versions.ts'
import { DAY_MS } from '../platform/time.ts'
import type { Pace } from '../volume/stored-file.ts'
import type { StorageDeps } from './parts.ts'
import { findKey } from './target.ts'
import { type FileProblem, fileProblem } from './verify.ts'
import { versionProblem } from './verify-versions.ts'

const MiB = 1024 ** 2

/** Name of the fact that holds the next position in the list of files by id, across restarts. */
const POSITION = 'scrubPosition'
/** Beginning of a position in the list of versions, which follows that of files. */
const OF_VERSIONS = 'version '
/** Cost of opening a file, in bytes read. */
const OPEN_BYTES = 64 * 1024
/** Maximum bytes read in a second, unless the volume is too large for that. */
const BYTES_PER_SECOND = 8 * MiB
/** Files between two saves of the position. */
const KEEP_AFTER_FILES = 64

interface ScrubDeps extends Pick<StorageDeps, 'catalog' | 'volume' | 'clock' | 'log'> {
  /** Days in which every file is read once; 0 for never. */
  days: number
}

export type Scrub = ReturnType<typeof createScrub>

/** Error that ends the read of a file when the server stops. */
class Stopped extends Error {}

/**
 * Reads every stored file once in some days and compares it with the catalog, so that bit rot is noticed
 * while a backup still exists. Problems stay in the catalog until they are gone.
 */
export function createScrub({ catalog, volume, clock, log, days }: ScrubDeps) {
  let lastRun = clock.monotonic()
  /** Bytes that may be read now; negative after a large file. */
  let credit = 0
  let stopped = false
  /** Damaged versions that were reported. */
  const reported = new Set<string>()
  let running: Promise<void> = Promise.resolve()

  async function costs(): Promise<number> {
    const { public: shown, private: hidden } = await catalog.totals.byVisibility()
    const versions = await catalog.versions.total()
    return [shown, hidden, versions].reduce((sum, { count, size }) => sum + size + count * OPEN_BYTES, 0)
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
    const problem = await fileProblem({ volume, deep: true }, file, key, pace)
    if (stopped) throw new Stopped()
    const keyNow = await catalog.read(function* () {
      const now = yield* catalog.files.byId(file.id)
      return now && (yield* findKey(catalog, now))
    })
    // The file was moved or deleted meanwhile; the next round reads it in its new state.
    if (keyNow !== key) return
    await record(file.id, key, problem)
  }

  /** Reports a damaged version once. Restoring it is refused. */
  async function checkVersion(version: VersionRow, pace: Pace): Promise<void> {
    const problem = await versionProblem(volume, version, { isRead: true, pace })
    if (stopped) throw new Stopped()
    if (!problem || reported.has(version.id) || !(await catalog.versions.byId(version.id))) return
    reported.add(version.id)
    log.info(`A version of a file is not what it was: "versions/${version.id}": ${problem}`)
  }

  /** Returns the file or version after a position; `undefined` after the last. */
  async function next(position: string) {
    const isOfFiles = !position.startsWith(OF_VERSIONS)
    const [file] = isOfFiles ? await catalog.files.after(position, 1) : []
    if (file) return { position: file.id, size: file.size, check: (pace: Pace) => check(file, pace) }
    const [version] = await catalog.versions.after(isOfFiles ? '' : position.slice(OF_VERSIONS.length), 1)
    if (!version) return undefined
    const { id, size } = version
    return { position: OF_VERSIONS + id, size, check: (pace: Pace) => checkVersion(version, pace) }
  }

  async function record(fileId: string, key: string, problem: FileProblem | undefined): Promise<void> {
    const known = (await catalog.integrity.byFile(fileId))?.problem
    if (problem === known) return
    if (problem) log.info(`A stored file is not what it was: ${JSON.stringify(key)}: ${problem}`)
    await catalog.transact(function* () {
      if (!problem) yield* catalog.integrity.clear(fileId)
      else if (yield* catalog.files.byId(fileId))
        yield* catalog.integrity.put({ fileId, problem, foundAt: clock.now() })
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

  /** Checks the files with known problems again. */
  async function lookAgain(): Promise<void> {
    const pace = paceFor(await costs())
    for (const id of await catalog.integrity.fileIds()) {
      const file = await catalog.files.byId(id)
      if (file) await check(file, pace)
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
