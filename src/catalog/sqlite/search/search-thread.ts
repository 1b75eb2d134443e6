import { Slots } from '../../../platform/slots.ts'
import type { Note } from '../../engine/notes.ts'
import type { FoundPage, NameSearch } from '../../tree/search.ts'

/** Ids of rows that have changed since names were last read. */
export interface ChangedRows {
  /** Files that are new or have changed. */
  files: string[]
  /** Folders that are new or have changed. */
  folders: string[]
  /** Folders that were moved or returned to the tree, with everything below them. */
  attached: string[]
  /** Folders below which files have changed. */
  below: string[]
}

const noChanges = (): ChangedRows => ({ files: [], folders: [], attached: [], below: [] })

/** Work for the thread: one page of a search, the note of changes alone, or the release of its memory. */
export interface SearchRequest {
  id: number
  changed: ChangedRows
  search?: NameSearch
  release?: true
}

export interface SearchResult {
  id: number
  page?: FoundPage | undefined
  error?: string
}

/** Time without a search after which the names leave the memory, in milliseconds. */
const IDLE_MS = 15 * 60_000
/** Changed rows that are handed to the thread without a search. */
const MANY_CHANGED = 5000

/**
 * Searches names on a thread of its own, which has them in its memory from the first search on. The functions of the
 * catalog note the rows that they change; those are read again before the next search, so nothing is written for it.
 */
export class SearchThread {
  /** Noted since the last message to the thread; missing while no names are in its memory. */
  #changed: ChangedRows | undefined
  readonly #path: string
  readonly #slots = new Slots({
    count: 1,
    maxWaiting: 128,
    maxWaitMs: 10_000,
    busy: 'Too many searches are running, try again soon',
  })
  readonly #waiting = new Map<number, (result: SearchResult) => void>()
  #worker: Worker | undefined
  #sent = 0
  #idle: Timer | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Retains a note while names are in memory. What left the tree is found by its row. */
  readonly note = (note: Note): void => {
    const changed = this.#changed
    if (!changed) return
    if (note.of === 'new files') for (const { id } of note.rows) changed.files.push(id)
    if (note.of === 'changed files') for (const id of note.ids) changed.files.push(id)
    if (note.of === 'left file') changed.files.push(note.id)
    if (note.of === 'new folders') for (const { id } of note.rows) changed.folders.push(id)
    if (note.of === 'files below') changed.below.push(note.id)
    if (note.of !== 'moved folder') return
    changed.folders.push(note.id)
    if (note.hasOtherParent) changed.attached.push(note.id)
  }

  /** Hands notes over if they are many. Call it when no change is under way on this thread. */
  committed(): void {
    const { files, folders } = this.#changed ?? noChanges()
    if (files.length + folders.length >= MANY_CHANGED) void this.#send({})
  }

  /**
   * Returns one page of the results of a search.
   *
   * @throws {Refusal} `unavailable` when too many searches wait, or the client disconnects.
   */
  async find(search: NameSearch, leaving: AbortSignal): Promise<FoundPage> {
    const release = await this.#slots.take(leaving)
    try {
      this.#changed ??= noChanges()
      const { page, error } = await this.#send({ search })
      if (!page) throw new Error(`The search failed: ${error}`)
      return page
    } finally {
      release()
      this.#releaseLater()
    }
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#worker?.terminate()
  }

  /** Sends work with all changes that were noted before. */
  #send(work: Pick<SearchRequest, 'search' | 'release'>): Promise<SearchResult> {
    this.#worker ??= this.#start()
    const id = this.#sent
    this.#sent += 1
    const { promise, resolve } = Promise.withResolvers<SearchResult>()
    this.#waiting.set(id, resolve)
    const changed = this.#changed ?? noChanges()
    this.#changed = work.release ? undefined : noChanges()
    this.#worker.postMessage({ id, changed, ...work } satisfies SearchRequest)
    return promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { argv: [this.#path] })
    worker.unref()
    worker.addEventListener('message', ({ data }: MessageEvent<SearchResult>) => this.#finish(data))
    worker.addEventListener('error', ({ message }) => {
      this.#worker = undefined
      for (const id of [...this.#waiting.keys()]) this.#finish({ id, error: message })
    })
    return worker
  }

  #finish(result: SearchResult): void {
    this.#waiting.get(result.id)?.(result)
    this.#waiting.delete(result.id)
  }

  #releaseLater(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#send({ release: true }), IDLE_MS)
    this.#idle.unref()
  }
}
