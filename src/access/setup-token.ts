import { createHash, timingSafeEqual } from 'node:crypto'
import type { Config } from '../platform/config.ts'
import { Refusal } from '../platform/errors.ts'
import type { Random } from '../platform/random.ts'
import type { Store } from '../store/store.ts'

/** Name of the instance fact that registration takes a token, because files of lost accounts are stored. */
export const ASKS_FOR_TOKEN = 'asksForSetupToken'

interface SetupTokenOptions {
  config: Pick<Config, 'setupToken'>
  store: Pick<Store, 'users' | 'files' | 'instance'>
  random: Pick<Random, 'bytes'>
}

/**
 * The token that registering the first account may take. The operator sets `SETUP_TOKEN`, or, after a repair
 * that made a new database over stored files, each start makes one and prints it: otherwise the first
 * stranger to register would read them all.
 */
export class SetupToken {
  /** The token that this start made; none if it needs none, or `SETUP_TOKEN` is set. */
  readonly generated: string | undefined
  readonly #token: string | undefined
  readonly #users: SetupTokenOptions['store']['users']

  constructor({ config, store: { users, files, instance }, random }: SetupTokenOptions) {
    const isAsked = users.count() === 0 && instance.get(ASKS_FOR_TOKEN) !== undefined && files.any()
    if (isAsked && config.setupToken === undefined)
      this.generated = Buffer.from(random.bytes(16)).toString('base64url')
    this.#token = config.setupToken ?? this.generated
    this.#users = users
  }

  isRequired(): boolean {
    return this.#token !== undefined && this.#users.count() === 0
  }

  /** @throws {Refusal} `forbidden` when a token is required and `sent` is another. */
  assertSent(sent: string | undefined): void {
    if (this.#token === undefined || (sent !== undefined && isSame(sent, this.#token))) return
    throw new Refusal('forbidden', 'Registering takes the setup token of this instance as "setupToken"', {
      code: 'INVALID_SETUP_TOKEN',
    })
  }
}

/** Compares digests, so that the time does not depend on where the texts differ. */
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))

const digest = (text: string) => createHash('sha256').update(text).digest()
