import { type ChangeEvent, HoldfastError } from '../../client/index.ts'
import { client, hasStatus } from '../api/client.ts'
import { live } from '../api/query.ts'
import { readLatestEvent, recheckSession } from '../api/session.ts'
import { apply, applyAll } from './lists.ts'

/** Name of the channel and of the lock that all tabs share. */
const NAME = 'holdfast-changes'
/** Time after which a hidden tab ends the connection, in milliseconds. */
const HIDDEN_MS = 60_000
/** Maximum events that wait for a hidden tab. */
const MAX_WAITING = 50
/** Message of a tab that begins to watch. It may have missed changes since it read its lists. */
const HELLO = 'hello'
/** Message of the tab whose connection has ended. */
const LOST = 'lost'
/** True when one tab at a time can have the connection: on pages with https, and on this machine. */
const canShare = 'locks' in navigator
/** Pauses between two connections, in milliseconds. */
const MIN_PAUSE_MS = 1000
const MAX_PAUSE_MS = 60_000

/** Time for which events are kept for tabs that are about to watch, in milliseconds. */
const RECENT_MS = 10_000

type Message = ChangeEvent | typeof HELLO | typeof LOST
/** Sends a message to the other tabs. */
type Post = (message: Message) => void

/** Id of the last event that any tab has received. */
let lastId: string | undefined
/** Recent events of the connection of this tab; none without one. */
let recent: { event: ChangeEvent; at: number }[] = []
/** Ends when all changes so far are shown. They are read one after the other, so that no older row comes last. */
let applied = Promise.resolve()
/** Events that wait until this tab is visible. */
let waiting: ChangeEvent[] = []

/**
 * Shows changes by others while they happen, until `signal` is aborted. One tab has the connection, and passes events on to
 * the others. Hidden tabs have none.
 */
export async function watchChanges(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data === LOST) live.isOn = false
    else if (data !== HELLO) receive(data)
    else for (const { event } of recent) channel.postMessage(event)
  }
  const post = (message: Message) => canShare && channel.postMessage(message)
  post(HELLO)
  document.addEventListener('visibilitychange', applyWaiting, { signal })
  signal.addEventListener('abort', () => {
    live.isOn = false
    channel.close()
  })
  while (!signal.aborted) {
    await untilVisible(signal)
    await withLock(signal, () => connectWhileVisible(post, signal))
  }
}

/** Runs `work` in one tab at a time. Without locks, on a page without https, each visible tab has a connection. */
const withLock = (signal: AbortSignal, work: () => Promise<void>): Promise<void> =>
  canShare ? navigator.locks.request(NAME, { signal }, work).catch(() => sleep(MAX_PAUSE_MS, signal)) : work()

function keep(event: ChangeEvent): void {
  const from = performance.now() - RECENT_MS
  recent = recent.filter(({ at }) => at >= from)
  if (event.type === 'changes') recent.push({ event, at: performance.now() })
}

function receive(event: ChangeEvent): void {
  lastId = event.id
  live.isOn = true
  if (event.type === 'ready') return
  if (waiting.length <= MAX_WAITING) waiting.push(event)
  if (!document.hidden) applyWaiting()
}

function applyWaiting(): void {
  if (document.hidden) return
  const events = waiting
  waiting = []
  const isMissed = events.length > MAX_WAITING || events.some(({ type }) => type === 'reset')
  // A folder that let the account in or out resets the stream.
  if (isMissed) void recheckSession().then(applyAll)
  else
    for (const { changes } of events)
      if (changes) applied = applied.then(() => apply(changes)).catch(() => undefined)
}

/** Keeps a connection until the tab has been hidden for a while. */
async function connectWhileVisible(post: Post, signal: AbortSignal): Promise<void> {
  const hidden = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    // Without a lock, each hidden tab would take one of the few connections that a browser opens.
    const rest = canShare ? HIDDEN_MS : 0
    if (document.hidden) timer = setTimeout(() => hidden.abort(), rest)
  }
  document.addEventListener('visibilitychange', look, { signal: hidden.signal })
  look()
  await connect(post, AbortSignal.any([signal, hidden.signal]))
  recent = []
}

/** Passes events on, with growing pauses between connections that break. */
async function connect(post: Post, signal: AbortSignal): Promise<void> {
  for (let pause = MIN_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      const after = lastId ?? (await readLatestEvent())
      for await (const event of client.changes.watch({ after, signal })) {
        pause = MIN_PAUSE_MS / 2
        keep(event)
        post(event)
        receive(event)
      }
    } catch (error) {
      if (signal.aborted) return
      // The session has ended elsewhere. Its files must not stay on the screen.
      if (hasStatus(error, 401)) void recheckSession()
      // No message: what was begun on this page stays until its own request fails.
      if (error instanceof HoldfastError && error.status >= 400) pause = MAX_PAUSE_MS
    }
    live.isOn = false
    post(LOST)
    await sleep(pause * (1 + Math.random()), signal)
  }
}

/** Resolves when the tab is visible, or `signal` is aborted. */
const untilVisible = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (!document.hidden || signal.aborted) resolve()
    }
    document.addEventListener('visibilitychange', look, { signal })
    signal.addEventListener('abort', look)
    look()
  })

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
