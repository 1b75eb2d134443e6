import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, type Inside, register } from '../support/holdfast.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Nodes, prepareNodes } from './nodes.ts'

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The engines start before the first test')
  return value
}

/** Starts two servers of one instance, with its administrator, for all tests of a file. */
export function openPair(environment: Record<string, string> = {}) {
  const started = new AsyncDisposableStack()
  let opened: { postgres: TestPostgres; nodes: Nodes; one: Inside; two: Inside; account: Account } | undefined
  beforeAll(async () => {
    const postgres = started.use(await startPostgres())
    const nodes = started.use(await prepareNodes(postgres))
    const one = await nodes.start({ environment })
    const two = await nodes.start({ environment })
    opened = { postgres, nodes, one, two, account: await register(one) }
  })
  afterAll(() => started.disposeAsync())
  return {
    get postgres() {
      return present(opened).postgres
    },
    get nodes() {
      return present(opened).nodes
    },
    get one() {
      return present(opened).one
    },
    get two() {
      return present(opened).two
    },
    get account() {
      return present(opened).account
    },
  }
}

/** Prepares an instance without servers, and an empty folder, for each test of a file. */
export function openEach() {
  let postgres: TestPostgres | undefined
  let opened: { nodes: Nodes; folder: string } | undefined
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.[Symbol.dispose]())
  beforeEach(async () => {
    const nodes = await prepareNodes(present(postgres))
    opened = { nodes, folder: mkdtempSync(join(tmpdir(), 'holdfast-')) }
  })
  afterEach(async () => {
    const { nodes, folder } = present(opened)
    await nodes[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  return {
    get postgres() {
      return present(postgres)
    },
    get nodes() {
      return present(opened).nodes
    },
    get folder() {
      return present(opened).folder
    },
  }
}
