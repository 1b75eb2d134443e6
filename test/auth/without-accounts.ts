import { beforeEach } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'

/** Runs one instance for all tests of a block or of the file. Each test finds it without an account. */
export function withoutAccounts(environment: Record<string, string> = {}, clock = new TestClock()) {
  const holdfast = withInside({ environment, clock })
  beforeEach(() => {
    // Failed attempts of the test before no longer count.
    clock.advance(3_600_000)
    using database = openDatabase(holdfast)
    database.enforceReferences()
    database.run('DELETE FROM users')
  })
  return holdfast
}
