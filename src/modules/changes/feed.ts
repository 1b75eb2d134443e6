import { callerNow, type LocatedCaller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import { lacksFactor } from '../../access/factors.ts'
import { Refusal } from '../../platform/errors.ts'
import { isAtOrBelow } from '../../platform/names.ts'
import { seal, unseal } from '../../platform/seal.ts'
import { ChangeNotes, type Noted, type Work } from '../../store/rows.ts'
import { EVERYTHING, type Reach } from '../../store/store.ts'
import {
  changesAccess,
  changesWithin,
  describeChanges,
  readAnnounced,
  shortened,
  writeAnnounced,
} from './describe.ts'
import { Places } from './places.ts'
import { ChangeStream, type Sent, type View } from './stream.ts'

/** Minimum time between two events, and between two reads of a shared database, in milliseconds. */
const TICK_MS = 1000
/** Delay of an event after its first change, in milliseconds, so that changes of one action share it. */
const JOIN_MS = 50
/**
 * Time after which the client of a session that a proxy vouches for must open its stream anew, in milliseconds: only a new
 * request shows that the proxy still vouches.
 */
const VOUCHED_MS = 300_000
/** Time between two lines that keep a connection open, in milliseconds: proxies close one that is idle for 30 s or more. */
const BEAT_MS = 20_000
/** Time in which a client can continue the last stream after its end, or begin one after the latest event, in milliseconds. */
const LINGER_MS = 30_000
/** Maximum number of past events in memory, after any of which a client can continue. */
const MAX_PAST = 120

interface Opening {
  caller: LocatedCaller
  /** Value of `Last-Event-ID`. */
  lastId: string | null
}

/**
 * Streams of changes to clients. Without streams it reads nothing, and a server with a database of its own notes nothing.
 */
export class ChangeFeed {
  readonly places = new Places()
  readonly #context: TreeContext
  readonly #streams = new Set<ChangeStream>()
  /** Changes by any server that no event has yet. */
  readonly #pending = new ChangeNotes()
  /** Changes by this server that are not announced to the others yet. */
  readonly #unannounced = new ChangeNotes()
  /** Id of this server in its announcements. */
  readonly #node: string
  /** Prefix of the ids of events. A client can continue only within one epoch. */
  #epoch: string
  #sequence = 0
  #past: Sent[] = []
  #isWatching = false
  #ticking: Promise<void> | undefined
  #hasEnded = false
  #tickedAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #beats: Timer | undefined
  #lingering: Timer | undefined

  constructor(context: TreeContext) {
    this.#context = context
    this.#node = context.random.id()
    this.#epoch = context.random.id()
    const { store } = context
    store.changeNotes.onFirst = () => this.#schedule()
    // The start itself may have changed rows.
    if (!store.changeNotes.isEmpty) this.#schedule()
    store.onChanges((events) => {
      if (!this.#isWatching) return
      if (events === 'missed') this.#pending.noteAll()
      else for (const { kind, target } of events) if (kind === 'lists') this.#hear(target)
    })
  }

  /**
   * Returns the id of the latest event. A stream that continues after it names all later changes.
   *
   * @throws {Refusal} as `open` does.
   */
  latest(caller: LocatedCaller): string {
    this.places.take(caller)()
    this.#watch()
    if (this.#streams.size === 0) this.#linger()
    return this.#shown(caller.reach, this.#lastId)
  }

  /**
   * Opens a stream that continues after the event `lastId`, or begins now. Call `end` when its response has ended.
   *
   * @throws {Refusal} `rate-limited` past the limits of an account or address, `unavailable`.
   */
  async open({ caller, lastId }: Opening): Promise<{ body: ReadableStream<Uint8Array>; end: () => void }> {
    const { reach } = caller
    const { state } = reach.isEverything
      ? WHOLE
      : await this.#context.store.read(() => stateOf(this.#context, reach))
    const leave = this.places.take(caller)
    const { clock } = this.#context
    const openedAt = clock.monotonic()
    const isVouched = caller.via === 'session' && caller.session.voucher !== null
    const stream = new ChangeStream(caller, state, {
      shown: (reach, id) => this.#shown(reach, id),
      isOver: () => isVouched && clock.monotonic() - openedAt >= VOUCHED_MS,
      onEnd: () => this.#remove(stream),
    })
    this.#watch()
    this.#streams.add(stream)
    const from = lastId === null ? this.#lastId : this.#readId(reach, lastId)
    // Events before the first stream of a reach have no view of it.
    const known = this.#after(from)
    const missed = known?.every(({ views }) => views.has(reach.fingerprint)) ? known : undefined
    if (missed) stream.sendEvent('ready', from)
    else stream.sendEvent('reset', this.#lastId)
    for (const sent of missed ?? []) stream.send(sent)
    return {
      body: stream.body,
      end: () => {
        stream.end()
        leave()
      },
    }
  }

  /** Ends all streams, and refuses new ones. */
  end(): void {
    this.#hasEnded = true
    this.places.close()
    for (const stream of [...this.#streams]) stream.end()
    for (const timer of [this.#timer, this.#beats, this.#lingering]) clearTimeout(timer)
  }

  /** Announces the last changes of this server to the others, after `end`. */
  async announce(): Promise<void> {
    const { store } = this.#context
    if (!store.announce) return
    await this.#ticking
    await store.ended()
    this.#isWatching = false
    await this.#collect()
  }

  get #lastId(): string {
    return `${this.#epoch}.${this.#sequence}`
  }

  /** Returns the id of an event as a caller gets it. Its number counts what happens anywhere: a limited caller cannot read it. */
  #shown(reach: Reach, id: string): string {
    return reach.isEverything ? id : seal(this.#context, this.#sealing, id)
  }

  #readId(reach: Reach, shown: string): string {
    return reach.isEverything ? shown : new TextDecoder().decode(unseal(this.#sealing, shown))
  }

  get #sealing() {
    return { key: this.#context.secrets.position, subject: 'changes' }
  }

  /** Returns the events after one; `undefined` when some of them are not in memory. That one itself need not be. */
  #after(lastId: string): Sent[] | undefined {
    const known = this.#past.length
    for (let missed = 0; missed <= known; missed++)
      if (lastId === `${this.#epoch}.${this.#sequence - missed}`) return this.#past.slice(known - missed)
    return undefined
  }

  #watch(): void {
    clearTimeout(this.#lingering)
    this.#beats ??= setInterval(() => void this.#beat(), BEAT_MS)
    if (this.#isWatching) return
    this.#isWatching = true
    this.#context.store.watch(true)
    if (this.#context.store.isShared) this.#schedule()
  }

  #remove(stream: ChangeStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size === 0 && !this.#hasEnded) this.#linger()
  }

  /** Continues to watch for a while without streams. */
  #linger(): void {
    clearInterval(this.#beats)
    this.#beats = undefined
    clearTimeout(this.#lingering)
    this.#lingering = setTimeout(() => this.#rest(), LINGER_MS)
    this.#lingering.unref()
  }

  #rest(): void {
    const { store, random } = this.#context
    this.#isWatching = false
    store.watch(false)
    this.#epoch = random.id()
    this.#past = []
    this.#pending.take()
  }

  #hear(text: string): void {
    const announced = readAnnounced(text)
    // A throw would fail every fence, and with it hosting, until the event is pruned.
    if (!announced) this.#pending.noteAll()
    else if (announced.node !== this.#node) this.#pending.add(announced.noted)
  }

  #schedule(): void {
    if (this.#timer || this.#ticking || this.#hasEnded) return
    const since = this.#context.clock.monotonic() - this.#tickedAt
    this.#timer = setTimeout(
      () => {
        this.#ticking = this.#tick()
      },
      Math.max(JOIN_MS, TICK_MS - since),
    )
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    const { store, clock } = this.#context
    this.#timer = undefined
    this.#tickedAt = clock.monotonic()
    try {
      await this.#collect()
      if (this.#isWatching) await this.#report()
    } catch (error) {
      this.#log(error)
    }
    this.#ticking = undefined
    const isLeft = [store.changeNotes, this.#pending, this.#unannounced].some(({ isEmpty }) => !isEmpty)
    if (isLeft || (store.isShared && this.#isWatching)) this.#schedule()
  }

  /** Collects the changes of this server, announces them to the others, and reads their announcements. */
  async #collect(): Promise<void> {
    const { store } = this.#context
    const own = await store.takeNoted()
    if (own && this.#isWatching) this.#pending.add(own)
    if (!store.announce) return
    if (own) this.#unannounced.add(own)
    const noted = this.#unannounced.take()
    try {
      if (noted) await store.announce(writeAnnounced(this.#node, noted))
    } catch (error) {
      if (noted) this.#unannounced.add(noted)
      throw error
    }
    if (this.#isWatching) await store.fence()
  }

  async #report(): Promise<void> {
    const { store } = this.#context
    const noted = this.#pending.take()
    if (!noted) return
    try {
      if (changesAccess(noted)) await this.#checkAccess()
      const accounts = new Set(noted.accounts)
      this.#publish({
        views: await store.read(() => this.#viewsOf(noted)),
        concerns: (userId) => noted.isIncomplete || accounts.has(userId),
      })
    } catch (error) {
      this.#pending.add(noted)
      throw error
    }
  }

  /** Describes changes as each reach of a stream shows them. */
  *#viewsOf(noted: Noted): Work<Map<string, View>> {
    const described = yield* describeChanges(this.#context, noted)
    const views = new Map([
      [EVERYTHING.fingerprint, { state: WHOLE.state, changes: shortened(described.changes) }],
    ])
    for (const { caller } of [...this.#streams]) {
      const { reach } = caller
      if (views.has(reach.fingerprint)) continue
      const { state, tops } = yield* stateOf(this.#context, reach)
      views.set(reach.fingerprint, { state, changes: shortened(changesWithin(described, tops)) })
    }
    return views
  }

  #publish(event: Pick<Sent, 'views' | 'concerns'>): void {
    this.#sequence += 1
    const sent: Sent = { id: this.#lastId, ...event, texts: new Map() }
    this.#past.push(sent)
    if (this.#past.length > MAX_PAST) this.#past.shift()
    for (const stream of this.#streams) stream.send(sent)
  }

  async #beat(): Promise<void> {
    for (const stream of this.#streams) stream.beat()
    // Sessions and API keys also expire.
    await this.#checkAccess().catch((error) => this.#log(error))
  }

  /** Logs a failure that the next tick or beat may not have. An unavailable database is none of this module. */
  #log(error: unknown): void {
    const { log } = this.#context
    if (error instanceof Refusal) log.debug?.('Changes wait to be reported', { error: String(error) })
    else log.error('Changes could not be reported', error)
  }

  /** Ends the streams whose callers have lost access, and limits the others to what their callers may see now. */
  async #checkAccess(): Promise<void> {
    const { store } = this.#context
    for (const stream of [...this.#streams]) {
      const caller = await store.read(() => callerNow(this.#context, stream.caller))
      if (caller && !lacksFactor(caller, store) && !stream.isOver) stream.renew(caller)
      else stream.end()
    }
  }
}

/** State of a reach of everything, whose topmost folder is the root. */
const WHOLE = { state: '', tops: [''] }

/**
 * Returns the state of a limited reach, and the keys of its topmost folders. The state has the keys of the folders inside
 * them, too: the caller may have more rights there.
 */
function* stateOf({ store }: Pick<TreeContext, 'store'>, reach: Reach): Work<typeof WHOLE> {
  const { folders } = store.within(reach)
  const keys: string[] = []
  for (const id of reach.folderIds) keys.push((yield* folders.keyOf(id)) ?? '')
  const isBelow = (key: string, top: string) => top !== '' && top !== key && isAtOrBelow(key, top)
  const tops = keys.filter((key) => key !== '' && !keys.some((top) => isBelow(key, top)))
  return { state: `${reach.fingerprint} ${JSON.stringify(keys)}`, tops }
}
