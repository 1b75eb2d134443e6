import { callerNow, type LocatedCaller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { ChangeNotes } from '../../store/rows.ts'
import { readAnnounced, writeAnnounced } from './announced.ts'
import { changesAccess, describeChanges } from './describe.ts'
import { Places } from './places.ts'
import { ChangeStream, NO_CHANGES, type Sent } from './stream.ts'

/** Minimum time between two messages, and between two questions to a shared database, in milliseconds. */
const TICK_MS = 1000
/** Time in which changes after the first one join its message, in milliseconds. */
const JOIN_MS = 50
/** Time between two lines that keep a connection open, in milliseconds: proxies wait for 30 s and more. */
const BEAT_MS = 20_000
/** Time for which changes are noted after the last stream ended, in milliseconds, so that clients can continue. */
const LINGER_MS = 30_000
/** Time before a stream began of which it gets the changes, in milliseconds: lists were read shortly before. */
const BEFORE_MS = 10_000
/** Number of messages after which a client can continue. */
const MAX_PAST = 120

interface Opening {
  caller: LocatedCaller
  /** Value of `Last-Event-ID`. */
  lastId: string | null
}

/** Streams of changes to clients. While there are none, nothing is read, and an only server notes nothing. */
export class ChangeFeed {
  readonly places = new Places()
  readonly #context: Context
  readonly #streams = new Set<ChangeStream>()
  /** Changes by any server that are not reported yet. */
  readonly #pending = new ChangeNotes()
  /** Changes by this server that the others do not know yet. */
  readonly #unannounced = new ChangeNotes()
  /** Name of this server among those that share a database. */
  readonly #node: string
  /** Name of the order of messages: a client continues within the same one. */
  #epoch: string
  #sequence = 0
  #past: Sent[] = []
  #isWatching = false
  #isTicking = false
  #hasEnded = false
  #tickedAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #beats: Timer | undefined
  #lingering: Timer | undefined

  constructor(context: Context) {
    this.#context = context
    this.#node = context.random.id()
    this.#epoch = context.random.id()
    const { store } = context
    store.changeNotes.onFirst = () => this.#schedule()
    // The start itself has changed rows.
    if (!store.changeNotes.isEmpty) this.#schedule()
    store.onChanges((events) => {
      if (!this.#isWatching) return
      if (events === 'missed') this.#pending.noteAll()
      else for (const { kind, target } of events) if (kind === 'lists') this.#hear(target)
    })
  }

  /**
   * Opens a stream that begins after the message `lastId`. Call `end` when its response has ended.
   *
   * @throws {Refusal} `rate_limited` past the limits of an account or address, `unavailable`.
   */
  open({ caller, lastId }: Opening): { body: ReadableStream<Uint8Array>; end: () => void } {
    const leave = this.places.take(caller)
    const stream = new ChangeStream(caller, () => this.#remove(stream))
    this.#watch()
    this.#streams.add(stream)
    const missed = lastId === null ? this.#recent() : this.#after(lastId)
    stream.sendEvent(missed ? 'ready' : 'reset', missed && lastId !== null ? lastId : this.#lastId)
    for (const sent of missed ?? []) stream.send(sent)
    return {
      body: stream.body,
      end: () => {
        stream.end()
        leave()
      },
    }
  }

  /** Ends all streams; no other begins. */
  end(): void {
    this.#hasEnded = true
    this.places.close()
    for (const stream of [...this.#streams]) stream.end()
    for (const timer of [this.#timer, this.#beats, this.#lingering]) clearTimeout(timer)
  }

  get #lastId(): string {
    return `${this.#epoch}.${this.#sequence}`
  }

  #recent(): Sent[] {
    const from = this.#context.clock.monotonic() - BEFORE_MS
    return this.#past.filter(({ at }) => at >= from)
  }

  /** Returns the messages after one; `undefined` when some are not known any more. The one itself need not be. */
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
    if (this.#streams.size > 0 || this.#hasEnded) return
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
    if (this.#timer || this.#isTicking || this.#hasEnded) return
    const since = this.#context.clock.monotonic() - this.#tickedAt
    this.#timer = setTimeout(() => void this.#tick(), Math.max(JOIN_MS, TICK_MS - since))
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    const { store, clock, log } = this.#context
    this.#timer = undefined
    this.#isTicking = true
    this.#tickedAt = clock.monotonic()
    try {
      await this.#collect()
      if (this.#isWatching) await this.#report()
    } catch (error) {
      // A shared database is away: what is pending waits for the next time.
      log.debug?.('Changes wait to be reported', { error: String(error) })
    }
    this.#isTicking = false
    const isLeft = [store.changeNotes, this.#pending, this.#unannounced].some(({ isEmpty }) => !isEmpty)
    if (isLeft || (store.isShared && this.#isWatching)) this.#schedule()
  }

  /** Collects what this server has committed, tells the others, and hears from them. */
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
      this.#publish(await store.read(() => describeChanges(this.#context, noted)))
    } catch (error) {
      this.#pending.add(noted)
      throw error
    }
  }

  #publish(changes: Sent['changes']): void {
    this.#sequence += 1
    const at = this.#context.clock.monotonic()
    const sent: Sent = { id: this.#lastId, at, changes, texts: new Map() }
    this.#past.push(sent)
    if (this.#past.length > MAX_PAST) this.#past.shift()
    for (const stream of this.#streams) stream.send(sent)
  }

  async #beat(): Promise<void> {
    for (const stream of this.#streams) stream.beat()
    // Sessions and API keys also expire. An unavailable database is asked again at the next beat.
    await this.#checkAccess().catch(() => {})
  }

  /** Ends the streams whose callers have lost access, and tells the others of changes of their account. */
  async #checkAccess(): Promise<void> {
    for (const stream of [...this.#streams]) {
      const caller = await this.#context.store.read(() => callerNow(this.#context, stream.caller))
      if (!caller) stream.end()
      else if (stream.renew(caller))
        stream.sendEvent('changes', this.#lastId, { ...NO_CHANGES, areas: ['account'] })
    }
  }
}
