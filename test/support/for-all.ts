import fc from 'fast-check'

/** Seed of a run to repeat, which a failure printed. */
const SEED = process.env['HOLDFAST_SEED']

/**
 * Checks a property of arbitrary values. Prints the first failure with its seed at once. Shrinks it with at most as many
 * values as a run has, because a failure by chance would shrink until the test's limit.
 */
export async function forAll<Value>(
  values: fc.Arbitrary<Value>,
  parameters: fc.Parameters<[Value]>,
  check: (value: Value) => Promise<void> | void,
): Promise<void> {
  const { numRuns = 100, seed = SEED === undefined ? Date.now() | 0 : Number(SEED) } = parameters
  let hasFailed = false
  let shrunk = 0
  const property = fc.asyncProperty(values, async (value) => {
    if (hasFailed && shrunk++ >= numRuns) return
    try {
      await check(value)
    } catch (error) {
      if (!hasFailed) console.error(`HOLDFAST_SEED=${seed} fails for ${fc.stringify(value)}:`, error)
      hasFailed = true
      throw error
    }
  })
  await fc.assert(property, { ...parameters, numRuns, seed })
}
