import { connect } from 'node:net'
import { growthDuring, processorMs } from '../bench/memory.ts'
import { type HoldfastProcess, registerWith, spawnHoldfast } from '../support/process.ts'
import type { Element } from './elements.ts'

/** Cost of an element for the server. */
export interface Cost {
  /** Processor time of a byte, in nanoseconds. */
  time: number
  /** Greatest growth of the memory, in bytes. */
  memory: number
}

const CONNECTIONS = 32
const ROUNDS = 3
/** Sends `text` over a new connection and resolves when the server closes it. */
const send = (port: number, text: Buffer): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    // A server that refuses a request may reset the connection.
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
    socket.end(text)
  })

/** Server process that measures one element after the other. */
export class MeasuredServer implements AsyncDisposable {
  readonly #holdfast: HoldfastProcess
  readonly #withKey: string

  private constructor(holdfast: HoldfastProcess, withKey: string) {
    this.#holdfast = holdfast
    this.#withKey = withKey
  }

  static async start(): Promise<MeasuredServer> {
    const holdfast = await spawnHoldfast()
    const { withKey } = await registerWith(holdfast)
    return new MeasuredServer(holdfast, `API-Key: ${withKey['API-Key']}`)
  }

  /** Returns the least processor time and the peak memory of several rounds. */
  async cost({ head, unit, share }: Element): Promise<Cost> {
    const { child, port } = this.#holdfast
    const text = Buffer.from(head(this.#withKey) + unit.repeat(Math.ceil(share / unit.length)))
    const times: number[] = []
    const grown = await growthDuring(child.pid, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const begun = processorMs(child.pid)
        await Promise.all(Array.from({ length: CONNECTIONS }, () => send(port, text)))
        times.push(processorMs(child.pid) - begun)
      }
    })
    return { time: (Math.min(...times) * 1e6) / (text.length * CONNECTIONS), memory: grown }
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#holdfast[Symbol.asyncDispose]()
  }
}
