import { test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { expectNothingFromOutside, raceOfSwaps } from './swaps.ts'

const holdfast = withHoldfast()

// Row 18.
test('500 swaps of a folder for a link, and back, let nothing in or out', async () => {
  const seen = await raceOfSwaps({ holdfast, withKey: holdfast.withKey, rounds: 500 })

  expectNothingFromOutside(seen, holdfast)
})
