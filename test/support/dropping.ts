import type { Query, Work } from '../../src/catalog/engine/query.ts'

/** Examples for `findDroppedQueries`: each line that ends with a comment drops a query. Nothing calls these. */

declare const users: {
  any: () => Query<boolean>
  name: (id: string) => Query<string | undefined>
  remove: (id: string) => Query<void>
}
declare const transact: <Value>(work: () => Query<Value> | Work<Value>) => Promise<Value>
declare const each: (ids: readonly string[], work: (id: string) => void) => void
declare const keep: (value: unknown) => void
declare const run: <Value>(query: Query<Value>) => Value
declare const save: () => Promise<void>
declare const isReady: boolean

function* rename(id: string): Work<void> {
  if (yield* users.any()) yield* users.remove(id)
}

export async function drops(ids: readonly string[]): Promise<void> {
  users.remove('a') // statement
  void users.remove('a') // void
  save() // promise
  keep(users.any()) // argument
  isReady && users.remove('a') // condition
  isReady ? users.remove('a') : undefined // conditional
  if ((await users.any()) && !users.any()) return // negation
  if (users.name('a') === undefined) return // comparison
  each(ids, (id) => users.remove(id)) // callback
  each(ids, users.remove) // reference
  await transact(function* () {
    rename('a') // body
    yield* rename('b')
    return users.any() // return
  })
}

export async function runs(ids: readonly string[]): Promise<unknown> {
  const later = users.any()
  if (await later) await users.remove('a')
  await (isReady ? users.remove('a') : undefined)
  await transact(() => users.remove('a'))
  await transact(() => rename('a'))
  run(users.any())
  await save()
  save().catch(() => {})
  void save()
  await Promise.all(ids.map((id) => users.name(id)))
  return users.any().then((any) => any)
}
