import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { runInside } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { spawnWithAccount } from '../support/fixture.ts'
import { forAll } from '../support/for-all.ts'
import { filesUnder } from '../support/holdfast.ts'
import { type HoldfastProcess, spawnHoldfast } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { anyOperation, asStored, Subtree, treeOf } from './tree-client.ts'
import { type Operation, TreeModel } from './tree-model.ts'

const KILLS = 20
const CLIENTS = 3

/** Trees that a client may find: the acknowledged one, and others if a request was in flight. */
type Possible = readonly [answered: TreeModel, ...asked: TreeModel[]]

/** Sends operations until the server has exited. */
async function performUntilKilled(
  subtree: Subtree,
  from: TreeModel,
  operations: Iterable<Operation>,
): Promise<Possible> {
  let answered = from
  for (const operation of operations) {
    const step = answered.plan(operation)
    if (!step) continue
    const status = await subtree.perform(step).catch(() => undefined)
    if (status === undefined) return [answered, step.next, ...halfway(answered, operation)]
    expect({ ...step, status }).toEqual(step)
    answered = step.next
  }
  throw new Error('The server outlived what there was to do')
}

/** Returns the state between the two steps of a change of a folder's name and visibility. */
function halfway(model: TreeModel, operation: Operation): TreeModel[] {
  if (operation.kind !== 'change folder' || operation.name === undefined) return []
  const renamed = model.plan({ ...operation, visibility: undefined })
  return renamed ? [renamed.next] : []
}

/** Returns the one of the possible trees that the server has. */
async function foundTree(subtree: Subtree, possible: Possible): Promise<TreeModel> {
  const seen = await subtree.seenByClients()
  // What is left of a folder that was being deleted goes soon after the start.
  await eventually(async () => Bun.deepEquals(await subtree.seenStored(), asStored(seen)))
  expect(await subtree.seenStored()).toEqual(asStored(seen))
  const found = possible.find((model) => Bun.deepEquals(seen, treeOf(model)))
  expect(found ? treeOf(found) : possible.map(treeOf)).toEqual(seen)
  return found ?? possible[0]
}

async function killAfter({ child }: HoldfastProcess, ms: number): Promise<void> {
  await Bun.sleep(ms)
  child.kill('SIGKILL')
  await child.exited
}

interface Round {
  /** Time from the start of the clients to the kill, in milliseconds. */
  ms: number
  seed: number
}

const rounds: fc.Arbitrary<Round[]> = fc.array(fc.record({ ms: fc.nat({ max: 80 }), seed: fc.nat() }), {
  minLength: KILLS,
  maxLength: KILLS,
})

/** Creates the data folder of a used and killed server. */
async function killedInstance() {
  const folder = temporaryFolder()
  const dataPath = folder.path
  const first = await spawnWithAccount({ dataPath })
  const { withKey } = first
  const subtreesOf = ({ fetch }: HoldfastProcess) =>
    Array.from({ length: CLIENTS }, (_, n) => new Subtree({ fetch, dataPath, withKey }, `client ${n}`))
  for (const subtree of subtreesOf(first)) await subtree.create()
  await killAfter(first, 0)
  return Object.assign(folder, { dataPath, subtreesOf })
}

test('a server that is killed at any moment has done each operation wholly or not at all', async () => {
  await forAll(rounds, { numRuns: 1, endOnFailure: true }, async (drawn) => {
    using instance = await killedInstance()
    const { dataPath, subtreesOf } = instance
    const foundTrees = (holdfast: HoldfastProcess, possible: readonly Possible[]) =>
      Promise.all(subtreesOf(holdfast).map((tree, n) => foundTree(tree, possible[n] ?? [new TreeModel()])))

    let possible: Possible[] = []
    for (const { ms, seed } of drawn) {
      await using holdfast = await spawnHoldfast({ dataPath })
      expect(filesUnder({ dataPath }, 'tmp')).toEqual([])
      const models = await foundTrees(holdfast, possible)
      const working = subtreesOf(holdfast).map((subtree, n) => {
        const operations = fc.sample(anyOperation, { seed: seed + n, numRuns: 1000 })
        return performUntilKilled(subtree, models[n] ?? new TreeModel(), operations)
      })
      ;[possible] = await Promise.all([Promise.all(working), killAfter(holdfast, ms)])
    }

    await using last = await spawnHoldfast({ dataPath })
    await foundTrees(last, possible)
    const { output } = await runInside(['verify', '--deep'], { DATA_PATH: dataPath })
    expect(output).toBe('Volume and catalog agree\n')
  })
})
