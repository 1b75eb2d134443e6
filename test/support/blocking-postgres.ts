import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Result } from '../../src/catalog/postgres/connection.ts'

/** Statement for the worker. */
export interface Asked {
  url: string
  /** Name of the connection, which is opened at its first use. */
  connection: string
  text: string
  values: readonly unknown[]
}

/** Result of a statement, or its failure. */
export type Told = { result: Result } | { failure: string }

const WAITING = 0
/** State that the worker wakes this thread by. */
const DONE = 1
/** Time that a statement may take, in milliseconds: a database is copied on a busy disk. */
const STATEMENT_MS = 60_000
const WAIT_MS = STATEMENT_MS + 5000

const flag = new Int32Array(new SharedArrayBuffer(4))
const { port1: port, port2: theirs } = new MessageChannel()
let started: Worker | undefined

/** Runs a statement on a connection to a database, and blocks until it has the result. An empty one ends the connection. */
export function askPostgres(
  url: string,
  text: string,
  values: readonly unknown[] = [],
  connection = url,
): Result {
  if (!started) started = startWorker()
  const asked: Asked = { url, connection, text, values }
  Atomics.store(flag, 0, WAITING)
  port.postMessage(asked)
  if (Atomics.wait(flag, 0, WAITING, WAIT_MS) === 'timed-out') throw new Error(`No result of ${text}`)
  // The worker has sent it before it woke this thread.
  let told: Told | undefined
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) told = next.message
  if (!told) throw new Error(`No result of ${text}`)
  if ('failure' in told) throw new Error(`${told.failure}: ${text}`)
  return told.result
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./blocking-postgres-worker.ts', import.meta.url), {
    workerData: { flag, port: theirs, done: DONE, ms: STATEMENT_MS },
    transferList: [theirs],
  })
  worker.unref()
  port.unref()
  return worker
}
