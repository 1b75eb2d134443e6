import { type LocatedCaller, scopesOfCaller } from '../../access/caller.ts'
import { fetchesOf } from '../../store/rows.ts'
import type { Reach } from '../../store/store.ts'
import type { Area, Changes } from './model.ts'

/** Maximum bytes that wait for a client. A client that reads too slowly is disconnected. */
const MAX_WAITING_BYTES = 64 * 1024

const encoder = new TextEncoder()

/** Changes as callers with the same reach see them. */
export interface View {
  /** Text of the reach and of its topmost folders. When it differs, everything is to be read again. */
  state: string
  changes: Changes
}

/** Event of changes, with its text for each reach and set of scopes that a stream has asked for. */
export interface Sent {
  id: string
  /** Views by the fingerprints of reaches. */
  views: ReadonlyMap<string, View>
  /** Returns true for an account whose profile, role, API keys, shares or quota, or `fetchesOf` it, may have changed. */
  concerns: (userId: string) => boolean
  /** Missing value for callers that may see none of the changes. */
  texts: Map<string, Uint8Array | undefined>
}

/** Returns the areas whose lists a caller may read as a whole. Only admins read the shares of all accounts. */
function areasOf(caller: LocatedCaller): readonly Area[] {
  const scopes = scopesOfCaller(caller)
  return [
    ...(scopes.includes('files:read') ? (['trash'] as const) : []),
    // Accounts that read files see a part of the settings.
    ...(scopes.includes('settings:manage') || scopes.includes('files:read') ? (['settings'] as const) : []),
    // Their routes accept only sessions.
    ...(scopes.includes('users:manage') && caller.via === 'session'
      ? (['shares', 'users', 'webhooks'] as const)
      : []),
  ]
}

interface StreamHooks {
  /** Returns the id of an event as a caller gets it. */
  shown: (reach: Reach, id: string) => string
  /** Returns true when the client must connect anew. */
  isOver: () => boolean
  onEnd: () => void
}

/** Stream of server-sent events to one client (HTML §9.2), in bounded memory. */
export class ChangeStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #hooks: StreamHooks
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #caller: LocatedCaller
  #state: string
  #areas: readonly Area[]
  #mayRead: boolean

  /** @param state State of the caller's reach. */
  constructor(caller: LocatedCaller, state: string, hooks: StreamHooks) {
    this.#caller = caller
    this.#state = state
    this.#areas = areasOf(caller)
    this.#mayRead = scopesOfCaller(caller).includes('files:read')
    this.#hooks = hooks
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => {
          this.#controller = undefined
          this.#hooks.onEnd()
        },
      },
      { highWaterMark: MAX_WAITING_BYTES, size: (bytes) => bytes?.length ?? 0 },
    )
  }

  get caller(): LocatedCaller {
    return this.#caller
  }

  /** True when the client must connect anew. */
  get isOver(): boolean {
    return this.#hooks.isOver()
  }

  /** Replaces the caller with its account as it is now. */
  renew(caller: LocatedCaller): void {
    this.#caller = caller
    this.#areas = areasOf(caller)
    this.#mayRead = scopesOfCaller(caller).includes('files:read')
  }

  /** Sends the part of changes that the caller may see. */
  send(sent: Sent): void {
    const view = sent.views.get(this.#caller.reach.fingerprint)
    if (view?.state !== this.#state) {
      if (view) this.#state = view.state
      this.sendEvent('reset', sent.id)
      return
    }
    const { id } = this.#caller.user
    const own: Area[] = []
    if (sent.concerns(fetchesOf(id)) && scopesOfCaller(this.#caller).includes('files:write'))
      own.push('fetches')
    if (sent.concerns(id)) own.push('account')
    const part = `${this.#mayRead} ${this.#areas} ${own} ${view.state}`
    if (!sent.texts.has(part)) sent.texts.set(part, this.#encode(sent.id, view, own))
    const text = sent.texts.get(part)
    if (text) this.#write(text)
  }

  /** Sends an event to this client alone. */
  sendEvent(type: 'ready' | 'reset', id: string): void {
    this.#write(eventText(type, this.#shown(id), {}))
  }

  #shown(id: string): string {
    return this.#hooks.shown(this.#caller.reach, id)
  }

  /** Sends a comment, which clients ignore, so that no proxy closes the connection as idle. */
  beat(): void {
    this.#write(BEAT)
  }

  #write(bytes: Uint8Array): void {
    const controller = this.#controller
    if (!controller) return
    controller.enqueue(bytes)
    if ((controller.desiredSize ?? 0) <= 0) this.end()
  }

  end(): void {
    const controller = this.#controller
    if (!controller) return
    this.#controller = undefined
    controller.close()
    this.#hooks.onEnd()
  }

  #encode(id: string, { changes }: View, own: readonly Area[]): Uint8Array | undefined {
    const { folders, gone, below } = changes
    const areas = changes.areas.filter((area) => this.#areas.includes(area))
    areas.push(...own)
    const isAny = folders.length + gone.files.length + gone.folders.length + below.length > 0
    if (!(this.#mayRead && isAny) && areas.length === 0) return undefined
    return eventText(
      'changes',
      this.#shown(id),
      this.#mayRead ? { folders, gone, below, areas } : { ...NO_CHANGES, areas },
    )
  }
}

const NO_CHANGES: Changes = { folders: [], gone: { files: [], folders: [] }, below: [], areas: [] }

const BEAT = encoder.encode(':\n\n')

const eventText = (type: string, id: string, data: object): Uint8Array =>
  encoder.encode(`event: ${type}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
