import type { StorageDeps } from './parts.ts'

/** Creates the rows of every instance: the root folder and the id of its volume. */
export async function prepareInstance({
  catalog,
  clock,
  random,
}: Pick<StorageDeps, 'catalog' | 'clock' | 'random'>): Promise<void> {
  const now = clock.now()
  await catalog.transact(function* () {
    if ((yield* catalog.instance.get('volumeId')) === undefined)
      yield* catalog.instance.set('volumeId', random.id())
    if (yield* catalog.folders.hasRoot()) return
    yield* catalog.folders.insert([
      { id: random.id(), parentId: null, name: 'files', createdAt: now, updatedAt: now },
    ])
  })
}
