import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { withHoldfast } from '../support/fixture.ts'
import { forAll } from '../support/for-all.ts'
import { filesUnder } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { anyOperation, asStored, Subtree, treeOf } from './tree-client.ts'
import { type Operation, TreeModel } from './tree-model.ts'

const holdfast = withHoldfast()

let subtrees = 0
async function newSubtree(): Promise<Subtree> {
  const subtree = new Subtree(holdfast, `tree ${subtrees++}`)
  await subtree.create()
  return subtree
}

/** Sends operations. Each response must match the model. */
async function perform(subtree: Subtree, operations: readonly Operation[]): Promise<TreeModel> {
  let model = new TreeModel()
  for (const operation of operations) {
    const step = model.plan(operation)
    if (!step) continue
    expect({ ...step, status: await subtree.perform(step) }).toEqual(step)
    model = step.next
  }
  return model
}

async function expectTree(subtree: Subtree, model: TreeModel): Promise<void> {
  expect(await subtree.seenByClients()).toEqual(treeOf(model))
  expect(await subtree.seenStored()).toEqual(asStored(treeOf(model)))
}

async function expectNothingLeftOver(): Promise<void> {
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  await expectNoIntents(holdfast)
}

const history = fc.array(anyOperation, { minLength: 1, maxLength: 30 })

describe('a history of operations on a tree', () => {
  test('is answered, stored and served as the specification says', async () => {
    await forAll(history, { numRuns: 40 }, async (operations) => {
      const subtree = await newSubtree()

      const model = await perform(subtree, operations)

      await expectTree(subtree, model)
      await expectNothingLeftOver()
    })
  })

  test('is untouched by three others at the same time, all four of which meet in a fifth tree', async () => {
    await forAll(fc.array(history, { minLength: 4, maxLength: 4 }), { numRuns: 10 }, async (histories) => {
      const shared = await newSubtree()
      const subtrees = await Promise.all(histories.map(newSubtree))

      const models = await Promise.all(
        histories.map(async (operations, index) => {
          const [model] = await Promise.all([
            perform(subtrees[index] as Subtree, operations),
            performAmongOthers(shared, operations),
          ])
          return model
        }),
      )

      for (const [index, model] of models.entries()) await expectTree(subtrees[index] as Subtree, model)
      expect(await shared.seenStored()).toEqual(asStored(await shared.seenByClients()))
      await expectNothingLeftOver()
    })
  })
})

/** Sends requests that other clients may have made impossible. The server must report that. */
async function performAmongOthers(shared: Subtree, operations: readonly Operation[]): Promise<void> {
  let assumed = new TreeModel()
  for (const operation of operations) {
    const step = assumed.plan(operation)
    if (!step) continue
    const status = await shared.perform(step)
    expect({ step, status, isExplained: [200, 400, 404, 409].includes(status) }).toMatchObject({
      isExplained: true,
    })
    if (status === 200) assumed = step.next
  }
}
