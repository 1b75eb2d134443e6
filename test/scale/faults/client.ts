import { createHash } from 'node:crypto'
import type { Actor } from '../../faults/actor.ts'
import { nextOperation } from '../../faults/kill-load.ts'
import type { State } from '../../faults/state.ts'
import type { Chance } from '../../support/chance.ts'
import type { Cluster } from './cluster.ts'
import type { ServerNode } from './server-node.ts'
import { Exchange, type Watch } from './watch.ts'

/** Pause after a request that failed, in milliseconds. */
const PAUSE_MS = 100

interface LoadOptions {
  cluster: Cluster
  watch: Watch
  chance: Chance
}

/** Client with a folder of its own, which sends each request to any of the servers. */
export class LoadClient {
  readonly #actor: Actor
  readonly #options: LoadOptions
  /** Number of changes that were acknowledged. */
  acknowledged = 0

  constructor(actor: Actor, options: LoadOptions) {
    this.#actor = actor
    this.#options = options
  }

  /** Changes files and folders until `goesOn` returns false, and reads them on the other servers. */
  async work(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const node = this.#pick()
      if (!node) await Bun.sleep(PAUSE_MS)
      else await this.#change(node)
    }
  }

  async #change(node: ServerNode): Promise<void> {
    const { cluster, watch } = this.#options
    const actor = this.#actor
    const before = actor.scene().state
    const [name, operation] = nextOperation(actor)
    const exchange = new Exchange(watch, node)
    const began = performance.now()
    const outcome = await actor.perform(exchange, cluster.account, operation)
    if (outcome === 200) {
      this.acknowledged += 1
      watch.changes.add()
      actor.learn(await cluster.database.readState())
      await this.#readElsewhere(node, before, actor.scene().state)
      return
    }
    // Files of a batch fail on their own.
    const mayFail = watch.mayBeUnavailable(began, performance.now() - began)
    const isPartly = outcome === 207 && (mayFail || watch.isHeld(exchange.message))
    if (outcome !== 'no answer' && outcome !== 503 && !isPartly)
      watch.violate(`${actor.home}: ${name} of ${node.name} got ${outcome} ${exchange.message}`)
    // It may have been made, or was refused by all of the server but a transaction that is under way.
    if (exchange.isUnknown) actor.doubt(operation)
    await cluster.drained()
    for (const difference of actor.check(await cluster.database.readState()))
      watch.violate(`${actor.home}: ${difference} after ${name} got ${outcome} ${exchange.message}`)
    await Bun.sleep(PAUSE_MS)
  }

  /** Reads a file that a change has made or left, and one that it has removed, on another server. */
  async #readElsewhere(from: ServerNode, before: State, after: State): Promise<void> {
    const { chance } = this.#options
    const node = this.#pick(from)
    if (!node) return
    const gone = [...before.files.keys()].filter((key) => !after.files.has(key))
    const keys = [chance.pick([...after.files.keys()]), chance.pick(gone)]
    for (const key of keys) if (key !== undefined) await this.#read(node, key, after)
  }

  async #read(node: ServerNode, key: string, { files }: State): Promise<void> {
    const { cluster, watch } = this.#options
    const file = files.get(key)
    const began = performance.now()
    const headers = file?.visibility === 'private' ? cluster.account.withKey : {}
    const path = `/api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`
    try {
      const response = await new Exchange(watch, node).fetch(path, { headers })
      const isAway = response.status === 503 && watch.isPermitted('unavailable', began)
      if (isAway) return
      const expected = file ? 200 : 404
      if (response.status !== expected)
        watch.violate(`${key} of ${node.name} got ${response.status} instead of ${expected}`)
      else if (file && sha256(await response.arrayBuffer()) !== file.sha256)
        watch.violate(`${key} of ${node.name} has other bytes`)
    } catch {
      // Recorded by the exchange.
    }
  }

  #pick(but?: ServerNode): ServerNode | undefined {
    const { cluster, chance } = this.#options
    return chance.pick(cluster.nodes.filter((node) => node !== but && node.isUp && !node.isPaused))
  }
}

const sha256 = (bytes: ArrayBuffer) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex')
