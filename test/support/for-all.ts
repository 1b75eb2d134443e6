import fc from 'fast-check'

/** Checks a property of arbitrary values. */
export const forAll = async <Value>(
  values: fc.Arbitrary<Value>,
  parameters: fc.Parameters<[Value]>,
  check: (value: Value) => Promise<void> | void,
): Promise<void> => {
  const property = fc.asyncProperty(values, async (value) => check(value))
  await fc.assert(property, parameters)
}
