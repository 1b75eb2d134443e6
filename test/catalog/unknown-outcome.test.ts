import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { done, UnknownOutcome } from '../../src/catalog/engine/query.ts'
import { openCatalog } from '../../src/catalog/sqlite/open.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('a change of the other thread is not acknowledged once a commit of this one has failed', async () => {
  using folder = temporaryFolder()
  const fatal: unknown[] = []
  const catalog = openCatalog({
    path: join(folder.path, 'holdfast.sqlite'),
    onUnknownOutcome: (error) => fatal.push(error),
  })
  try {
    const change = catalog.setVisibilityBelow(
      { folderId: 'any', visibility: 'private', updatedAt: 1 },
      () => {
        // The thread has begun its transaction, and commits it after this.
        catalog.fail(new Error('A sync failed'))
        return done(undefined)
      },
    )

    expect(await change.catch((error: unknown) => error)).toBeInstanceOf(UnknownOutcome)
    expect(fatal).toHaveLength(1)
  } finally {
    catalog.close()
  }
})
