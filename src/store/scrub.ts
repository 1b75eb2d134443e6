import type { Work } from '../catalog/engine/query.ts'
import type { WebhookEvent } from '../catalog/shares/webhooks.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import type { TrashedFile } from '../catalog/tree/trash.ts'
import type { VersionRow } from '../catalog/tree/versions.ts'
import type { Log } from '../platform/log.ts'
import { DAY_MS } from '../platform/time.ts'
import { Utf8Check } from '../platform/utf8.ts'
import type { Pace } from '../volume/stored-file.ts'
import { contentType, type FileProblem } from './content.ts'
import { heldPath } from './trash/rows.ts'
import { findKey, type TreeDeps } from './tree.ts'

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

/** Row with bytes: of a file, a version or a file in the trash. */
export type Subject =
  | { place: 'files'; row: FileRow }
  | { place: 'versions'; row: VersionRow }
  | { place: 'trash'; row: TrashedFile }

/**
 * Reads bytes and returns their problem.
 *
 * @param path Key of a file, or place below `versions/` or `trash/`.
 */
export type Contents = (subject: Subject, path: string, pace: Pace) => Promise<FileProblem | undefined>

/** Bytes that are not what they were; `path` is the key of a file, or a path in the data folder. */
export interface Damage {
  place: Subject['place']
  id: string
  path: string
  problem: FileProblem
}

interface ScrubDeps extends Pick<TreeDeps, 'catalog' | 'clock'> {
  log: Log
  contents: Contents
  /** Builds the event for webhooks. Nothing is announced without it. */
  damageEvent: ((damage: Damage) => WebhookEvent) | undefined
  /** Days in which every file is read once; 0 for never. */
  days: number
}

/** Regular checks of stored bytes. */
export interface Scrub {
  /** Reads as much as is due since the last call. */
  advance: () => Promise<void>
  /** Checks what has a known problem again. */
  lookAgain: () => Promise<void>
  /** Stops the work under way soon. */
  stop: () => Promise<void>
}

/** Splits a position into the list and the id in it. */
function placeOf(position: string): [Subject['place'], string] {
  if (position.startsWith(OF_VERSIONS)) return ['versions', position.slice(OF_VERSIONS.length)]
  if (position.startsWith(OF_TRASH)) return ['trash', position.slice(OF_TRASH.length)]
  return ['files', position]
}

/** Subjects of messages. */
const WHAT = { files: 'A stored file', versions: 'A version of a file', trash: 'A file in the trash' }

/** Error that ends the read of a file when the server stops. */
class Stopped extends Error {}

/**
 * Reads every file, version and file in the trash once in some days and compares it with the catalog, so that bit rot is noticed
 * while a backup still exists. Problems stay in the catalog until they are gone.
 */
export class ContentScrub implements Scrub {
  readonly #deps: ScrubDeps
  #lastRun: number
  /** Bytes that may be read now; negative after a large file. */
  #credit = 0
  #stopped = false
  #running: Promise<void> = Promise.resolve()

  constructor(deps: ScrubDeps) {
    this.#deps = deps
    this.#lastRun = deps.clock.monotonic()
  }

  advance(): Promise<void> {
    return this.#inTurn(() => this.#advance())
  }

  lookAgain(): Promise<void> {
    return this.#inTurn(() => this.#lookAgain())
  }

  stop(): Promise<void> {
    this.#stopped = true
    return this.#running
  }

  /** Records a problem of a row, or that there is none any more. */
  async record(
    { place, id, path }: { place: Subject['place']; id: string; path: string },
    problem: FileProblem | undefined,
  ): Promise<void> {
    const { catalog, clock, log, damageEvent } = this.#deps
    const { integrity, webhookDeliveries } = catalog
    const isFile = place === 'files'
    const known = await (isFile ? integrity.byFile(id) : integrity.heldById(id))
    if (problem === known?.problem) return
    const named = isFile ? path : `${place}/${path}`
    if (problem) log.info(`${WHAT[place]} is not what it was: ${JSON.stringify(named)}: ${problem}`)
    await catalog.transact(function* () {
      if (!problem) return yield* isFile ? integrity.clear(id) : integrity.clearHeld(id)
      const foundAt = clock.now()
      if (!isFile)
        yield* integrity.putHeld({ id, place: place === 'trash' ? place : 'version', problem, foundAt })
      else if (yield* catalog.files.byId(id)) yield* integrity.put({ fileId: id, problem, foundAt })
      else return
      const event = damageEvent?.({ place, id, path: named, problem })
      if (event) yield* webhookDeliveries.announce(event)
    })
  }

  async #costs(): Promise<number> {
    const { totals, versions, trash } = this.#deps.catalog
    const { public: shown, private: hidden } = await totals.byVisibility()
    return [shown, hidden, await versions.total(), await trash.total()].reduce(
      (sum, { count, size }) => sum + size + count * OPEN_BYTES,
      0,
    )
  }

  /** Returns a sleep after bytes, so that reading is no faster than necessary. */
  #paceFor(total: number): Pace {
    const rate = Math.max(BYTES_PER_SECOND, (2 * total) / ((this.#deps.days * DAY_MS) / 1000))
    return async (bytes) => {
      await Bun.sleep((bytes / rate) * 1000)
      if (this.#stopped) throw new Stopped()
    }
  }

  async #check(subject: Subject, pace: Pace): Promise<void> {
    const { catalog, contents } = this.#deps
    const { place, row } = subject
    const find = () => catalog.read(() => this.#pathOf(subject))
    const path = await find()
    if (path === undefined) return
    const utf8 = new Utf8Check()
    const problem = await contents(subject, path, (bytes, chunk) => {
      if (chunk) utf8.update(chunk)
      return pace(bytes)
    })
    if (this.#stopped) throw new Stopped()
    // It was moved, restored or removed meanwhile; the next round reads it in its new state.
    if ((await find()) !== path) return
    await this.record({ place, id: row.id, path }, problem)
    if (!problem && place === 'files' && utf8.end()) await this.#recordUtf8(row)
  }

  /** Records that a text from before the column is UTF-8. */
  async #recordUtf8(row: FileRow): Promise<void> {
    const { files, transact } = this.#deps.catalog
    if (contentType({ ...row, isUtf8: true }) === contentType(row)) return
    await transact(function* () {
      if ((yield* files.byId(row.id))?.sha256 === row.sha256) yield* files.update(row.id, { isUtf8: true })
    })
  }

  /** Returns the path of a row as it is now; `undefined` when it is gone, or a part of its rows is on the way. */
  *#pathOf({ place, row: { id } }: Subject): Work<string | undefined> {
    const { catalog } = this.#deps
    if (place === 'versions') return (yield* catalog.versions.byId(id))?.id
    if (place === 'files') {
      const file = yield* catalog.files.byId(id)
      return file && (yield* findKey(catalog, file))
    }
    const file = yield* catalog.trash.file(id)
    const isPurging = file && (yield* catalog.trash.byId(file.trashId))?.purging
    return file && !isPurging ? yield* heldPath(catalog, file) : undefined
  }

  /** Returns what follows a position, and its own; `undefined` after the last. */
  async #next(position: string): Promise<{ position: string; subject: Subject } | undefined> {
    const { files, versions, trash } = this.#deps.catalog
    const [place, id] = placeOf(position)
    const [file] = place === 'files' ? await files.after(id, 1) : []
    if (file) return { position: file.id, subject: { place: 'files', row: file } }
    const [version] = place === 'trash' ? [] : await versions.after(place === 'files' ? '' : id, 1)
    if (version) return { position: OF_VERSIONS + version.id, subject: { place: 'versions', row: version } }
    const [row] = await trash.filesAfter(place === 'trash' ? id : '', 1)
    return row && { position: OF_TRASH + row.id, subject: { place: 'trash', row } }
  }

  async #advance(): Promise<void> {
    const { catalog, clock, days } = this.#deps
    const now = clock.monotonic()
    const total = await this.#costs()
    this.#credit = Math.min(this.#credit + (total * (now - this.#lastRun)) / (days * DAY_MS), total)
    this.#lastRun = now
    const pace = this.#paceFor(total)
    let position = (await catalog.instance.get(POSITION)) ?? ''
    const keep = () => catalog.transact(() => catalog.instance.set(POSITION, position))
    for (let looked = 1; this.#credit > 0; looked++) {
      const found = await this.#next(position)
      position = found?.position ?? ''
      if (!found) break
      this.#credit -= found.subject.row.size + OPEN_BYTES
      await this.#check(found.subject, pace)
      await pace(OPEN_BYTES)
      if (looked % KEEP_AFTER_FILES === 0) await keep()
    }
    if (position !== ((await catalog.instance.get(POSITION)) ?? '')) await keep()
  }

  async #lookAgain(): Promise<void> {
    const { files, versions, trash, integrity, transact } = this.#deps.catalog
    const pace = this.#paceFor(await this.#costs())
    for (const id of await integrity.fileIds()) {
      const row = await files.byId(id)
      if (row) await this.#check({ place: 'files', row }, pace)
    }
    for (const { id, place } of await integrity.held()) {
      const version = place === 'version' ? await versions.byId(id) : undefined
      const file = place === 'trash' ? await trash.file(id) : undefined
      if (version) await this.#check({ place: 'versions', row: version }, pace)
      else if (file) await this.#check({ place: 'trash', row: file }, pace)
      else await transact(() => integrity.clearHeld(id))
    }
  }

  /** Serializes work; a stop ends it without an error. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#deps.days === 0) return Promise.resolve()
    const turn = this.#running.then(async () => {
      if (!this.#stopped) await work()
    })
    this.#running = turn.catch(() => {})
    return turn.catch((error) => {
      if (!(error instanceof Stopped)) throw error
    })
  }
}
