import { type Caller, callerOf, scopeProblem } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { recordOutcome } from '../../access/history.ts'
import { within } from '../../access/reach.ts'
import { AllowedAddresses, OutgoingError } from '../../platform/addresses.ts'
import { Refusal } from '../../platform/errors.ts'
import { assertName, segmentsOf } from '../../platform/names.ts'
import { admissionOf } from '../../reception/arriving.ts'
import { receiveBytes } from '../../reception/body.ts'
import { storeReceived } from '../../reception/conflicts.ts'
import { lastComponent } from '../../reception/receive.ts'
import { tooLarge } from '../../store/bytes.ts'
import type { FetchRow, Work } from '../../store/rows.ts'
import { folderNotFound } from '../../views/folders.ts'
import { Again, isLocal, reasonOf, Source } from './source.ts'

/** Fetches that run at a time: of the instance, and of one account. */
const MAX_RUNNING = 8
const MAX_OF_ONE = 2
/** Time after which another server takes over a fetch. Its server renews it each second. In milliseconds. */
const LEASE_MS = 15_000

/** Fetch that this server runs. */
interface Run {
  row: FetchRow
  run: string
  leaving: AbortController
  receivedBytes: number
  size: number | undefined
  ended: Promise<void>
}

/** Reasons for which a run ends without an outcome of its own. */
const CANCELED = new Error('The fetch was canceled, or another server runs it')
const STOPPED = new Error('The server stops')
const isQuiet = (error: unknown) => error === CANCELED || error === STOPPED

/**
 * Fetches files by URL. Each is claimed by a commit that begins a lease, so that of several servers one runs it, and
 * another takes over when that one ends.
 */
export class Fetcher {
  readonly allowed: AllowedAddresses
  /** Port that this server listens on. */
  port: number | undefined
  readonly #deps: Context
  readonly #runs = new Map<string, Run>()
  #isStopping = false

  constructor(deps: Context) {
    this.#deps = deps
    this.allowed = new AllowedAddresses(deps.config.fetchNetworks, 'FETCH_ALLOW_PRIVATE')
  }

  /** Returns true for an address of this server, or of the instance. */
  readonly isOwn = (url: URL, addresses: readonly string[]): boolean =>
    url.origin === this.#deps.config.baseUrl ||
    (isLocal(url, this.port) && addresses.some((address) => /^(127\.|0\.|::1?$)/.test(address)))

  /** Renews the leases of what runs here, and begins what is due. */
  async advance(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => this.#renew(run)))
    while (!this.#isStopping && (await this.#begin()));
  }

  /** Ends a run that was canceled; resolves when its bytes are gone. */
  async cancel(id: string): Promise<void> {
    const run = this.#runs.get(id)
    run?.leaving.abort(CANCELED)
    await run?.ended
  }

  /** Ends what runs here. It begins again after the next start, or at another server. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const { leaving } of this.#runs.values()) leaving.abort(STOPPED)
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
  }

  /** Authorizes the account of a fetch again, and records the progress. */
  async #renew(run: Run): Promise<void> {
    const { store, clock } = this.#deps
    const now = clock.now()
    const { receivedBytes, size = null } = run
    try {
      const hasIt = await store.transact(() =>
        store.fetches.changeRun(run.row.id, run.run, {
          ...{ receivedBytes, size, leaseUntil: now + LEASE_MS, updatedAt: now },
        }),
      )
      if (!hasIt) run.leaving.abort(CANCELED)
      else await this.#callerOf(run.row)
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) run.leaving.abort(error)
      else throw error
    }
  }

  /** Claims a fetch that is due, and starts it. */
  async #begin(): Promise<boolean> {
    const { store, clock, random } = this.#deps
    const now = clock.now()
    const run = random.id()
    const here = [...this.#runs.values()].map(({ row }) => row)
    const row = await store.transact(function* (): Work<FetchRow | undefined> {
      const running = store.isShared ? yield* store.fetches.running(now) : here.map(({ userId }) => userId)
      if (running.length >= MAX_RUNNING) return undefined
      const busy = running.filter((id) => running.filter((other) => other === id).length >= MAX_OF_ONE)
      const next = yield* store.fetches.due({
        // A fetch that an earlier process of this server ran is due at once.
        now: store.isShared ? now : Number.MAX_SAFE_INTEGER,
        without: here.map(({ id }) => id),
        busy,
      })
      if (!next) return undefined
      const claim = {
        state: 'running',
        run,
        receivedBytes: 0,
        leaseUntil: now + LEASE_MS,
        updatedAt: now,
      } as const
      return (yield* store.fetches.change(next.id, claim)) ? next : undefined
    })
    if (!row) return false
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const started: Run = {
      row,
      run,
      leaving: new AbortController(),
      receivedBytes: 0,
      size: undefined,
      ended,
    }
    this.#runs.set(row.id, started)
    void this.#run(started).finally(() => {
      this.#runs.delete(row.id)
      resolve()
      if (!this.#isStopping)
        this.advance().catch((error) => this.#deps.log.error('Files could not be fetched', error))
    })
    return true
  }

  async #run(run: Run): Promise<void> {
    const timer = setTimeout(
      () => run.leaving.abort(new OutgoingError('Fetching took too long in all')),
      this.#deps.config.fetchMaxMs,
    )
    try {
      await this.#fetch(run)
    } catch (error) {
      const reason: unknown = run.leaving.signal.aborted ? run.leaving.signal.reason : error
      await this.#fail(run, reason).catch((failure) =>
        this.#deps.log.error('The outcome of a fetch could not be recorded', failure),
      )
    } finally {
      clearTimeout(timer)
    }
  }

  async #fail({ row, run }: Run, error: unknown): Promise<void> {
    const { store, clock, log } = this.#deps
    if (isQuiet(error)) {
      // Another server may begin at once.
      if (error === STOPPED)
        await store.transact(() => store.fetches.changeRun(row.id, run, { state: 'waiting' }))
      return
    }
    if (error instanceof Refusal && error.cause !== undefined) log.error(error.message, error.cause)
    const isRefusal = error instanceof Refusal
    const message = isRefusal ? error.message : reasonOf(error)
    const outcome = {
      state: 'failed',
      error: message,
      code: isRefusal ? error.reason : 'fetch-failed',
    } as const
    const isOurs = await store.transact(() =>
      store.fetches.changeRun(row.id, run, { ...outcome, updatedAt: clock.now() }),
    )
    if (isOurs)
      await recordOutcome(this.#deps, {
        userId: row.userId,
        type: 'upload.failed',
        target: row.name ?? shownUrl(row.url),
        detail: message,
      })
  }

  async #callerOf(row: FetchRow): Promise<Caller> {
    const caller = await this.#deps.store.read(() => callerOf(this.#deps, row))
    if (!caller) throw new Refusal('unauthorized', 'The account or API key that asked for it has ended')
    const problem = scopeProblem(caller, 'files:write')
    if (problem !== undefined) throw new Refusal('scope-missing', problem)
    return caller
  }

  /** Fetches and publishes a file. @throws {Refusal} {OutgoingError} */
  async #fetch(run: Run): Promise<void> {
    const { config } = this.#deps
    const { signal } = run.leaving
    const caller = await this.#callerOf(run.row)
    const tree = within(this.#deps, caller)
    const { url } = run.row
    const source = new Source({
      ...{ url, signal, allowed: this.allowed, isOwn: this.isOwn, timeoutMs: config.fetchTimeoutMs },
    })
    for (;;) {
      try {
        return await this.#receive(tree, caller, { run, source })
      } catch (error) {
        if (!(error instanceof Again)) throw error
      }
    }
  }

  async #receive(
    tree: TreeContext,
    caller: Caller,
    { run, source }: { run: Run; source: Source },
  ): Promise<void> {
    const { row } = run
    const { store } = tree
    const response = await source.open()
    run.size = source.size
    run.receivedBytes = 0
    const { maxUploadBytes } = store.settings.current()
    const maxBytes = Math.min(row.maxBytes ?? maxUploadBytes, maxUploadBytes)
    const name = row.name ?? lastComponent(source.name)
    try {
      assertName(name, 'The name of the file')
      if ((source.size ?? 0) > maxBytes) throw tooLarge(maxBytes)
      if (row.onConflict !== 'replace' && row.onConflict !== 'skip')
        await store.quotas.assertRoom({ userId: row.userId, bytes: source.size ?? 0 })
    } catch (error) {
      await response.body?.cancel()
      throw error
    }
    const freed = () => (row.onConflict === 'replace' ? Number.POSITIVE_INFINITY : 0)
    const incoming = {
      ...{ length: source.size ?? 0, bytes: counted(source.bytes(response), run), verify: () => {} },
      ...{ limits: { maxBytes, claim: store.createClaim() }, admission: admissionOf(tree, caller, freed) },
    }
    await receiveBytes(tree, incoming, async (staged) => {
      run.leaving.signal.throwIfAborted()
      const folder = await store.read(() => folderOf(tree, row))
      const files = [{ name, staged, folder, label: name }]
      const end = (fileId: string | null) => this.#finish(run, { fileId, name, size: staged.size })
      const received = {
        ...{ folders: [folder], files, visibility: row.visibility ?? undefined },
        *also({ id, folderId }: { id: string; folderId: string }) {
          if (row.folderId !== null && row.folderId !== folderId) throw folderNotFound()
          yield* []
          return { alongside: () => end(id) }
        },
      }
      const stored = await storeReceived(tree, caller, { received, onConflict: row.onConflict })
      if (stored.files.length === 0) await store.transact(() => end(null))
    })
  }

  /** Records the file of a fetch, in the transaction that publishes it: one that was canceled publishes nothing. */
  *#finish(
    { row, run }: Run,
    { fileId, name, size }: { fileId: string | null; name: string; size: number },
  ): Work<void> {
    const { store, clock } = this.#deps
    const done = { state: 'done', fileId, name, size, receivedBytes: size, updatedAt: clock.now() } as const
    if (!(yield* store.fetches.changeRun(row.id, run, done))) throw CANCELED
  }
}

/** Returns the names from the root to the folder of a fetch. @throws {Refusal} `not-found`. */
function* folderOf({ store }: TreeContext, { folderId, folder }: FetchRow): Work<string[]> {
  if (folderId === null) return segmentsOf(folder ?? '')
  const key = yield* store.folders.keyOf(folderId)
  if (key === undefined) throw folderNotFound()
  return segmentsOf(key)
}

async function* counted(bytes: AsyncIterable<Uint8Array>, run: Run): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    run.leaving.signal.throwIfAborted()
    run.receivedBytes += chunk.length
    yield chunk
  }
}

/** Returns a URL without its query, which may have secrets. */
export const shownUrl = (url: string): string => url.replace(/[?#].*$/s, '')
