import * as T from 'typebox'
import Value from 'typebox/value'
import type { Context } from '../../../access/context.ts'
import { seal, unseal } from '../../../platform/seal.ts'
import { NextRun } from '../../../platform/time.ts'

const State = T.Object({
  /** Directory that the account belongs to. */
  directory: T.String(),
  /** Private key of the account, in PEM, and its URL. */
  accountKey: T.String(),
  accountUrl: T.Optional(T.String()),
  /** Latest certificate with its chain and its key, in PEM. */
  certificate: T.Optional(T.Object({ cert: T.String(), key: T.String() })),
  /** True when a certificate was followed by one for the same names. */
  isRenewed: T.Optional(T.Boolean()),
  /** Names that the authority refused, and when they are tried again. */
  failures: T.Array(
    T.Object({ name: T.String(), reason: T.String(), tries: T.Integer(), nextAt: T.Integer() }),
  ),
})
export type State = T.Static<typeof State>

/** Texts by which the authority's challenges are answered, by token. */
const Tokens = T.Record(T.String(), T.String())

/** Names of the facts about the instance with the state and the tokens. */
const [STATE, TOKENS] = ['acme', 'acmeTokens']

/** State of the certificate in the database, where all servers find it. Private keys are encrypted. */
export class AcmeState {
  readonly #deps: Pick<Context, 'store' | 'random' | 'secrets'>
  /** Requests that come at once share a query. */
  readonly #tokens = new NextRun(async () => tokensIn(await this.#deps.store.instance.get(TOKENS)))

  constructor(deps: Pick<Context, 'store' | 'random' | 'secrets'>) {
    this.#deps = deps
  }

  get #sealing() {
    return { key: this.#deps.secrets.certificate, subject: STATE }
  }

  /** Returns the state; `undefined` when there is none, or it was written with another secret. */
  async read(): Promise<State | undefined> {
    const sealed = await this.#deps.store.instance.get(STATE)
    const text = sealed === undefined ? undefined : unseal(this.#sealing, sealed)
    return text === undefined ? undefined : Value.Parse(State, JSON.parse(Buffer.from(text).toString()))
  }

  async write(state: State): Promise<void> {
    const { store } = this.#deps
    await store.transact(() =>
      store.instance.set(STATE, seal(this.#deps, this.#sealing, JSON.stringify(state))),
    )
  }

  /** Adds a token, or removes it without a text. */
  async setToken(token: string, text?: string): Promise<void> {
    const { instance, transact } = this.#deps.store
    await transact(function* () {
      const { [token]: _, ...others } = tokensIn(yield* instance.get(TOKENS))
      yield* instance.set(TOKENS, JSON.stringify(text === undefined ? others : { ...others, [token]: text }))
    })
  }

  /** Returns the text for a token. */
  async textFor(token: string): Promise<string | undefined> {
    const tokens = await this.#tokens.run()
    return Object.hasOwn(tokens, token) ? tokens[token] : undefined
  }
}

const tokensIn = (text = '{}'): Record<string, string> => Value.Parse(Tokens, JSON.parse(text))
