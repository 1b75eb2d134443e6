import { lstatSync, statSync } from 'node:fs'
import type { Plan } from '../../src/store/folder/plan.ts'
import { type Registered, startAgain, startInsideWithAccount } from '../support/fixture.ts'
import type { Inside } from '../support/holdfast.ts'

/** Returns the identity of a file or folder as plans record it. */
export function identify(path: string) {
  const { ino, size, mtimeMs } = lstatSync(path)
  return { inode: String(ino), size, mtimeMs }
}

/** Returns the birth of a folder as plans record it. */
export function birthOf(path: string): string {
  const { ino, birthtimeMs } = statSync(path)
  return `${ino} ${birthtimeMs}`
}

/** Records an operation as unfinished, as a crash leaves it. */
export const leave = ({ server }: Inside, plan: Plan, id = 'left-over') =>
  server.deps.store.transact(() => server.deps.store.intents.insert({ id, plan, createdAt: 0 }))

/** Restarts an instance with an operation that `prepare` began, as after a crash. */
export async function afterCrash(
  prepare: (stopped: Registered<Inside>) => Promise<Plan>,
): Promise<Registered<Inside>> {
  const first = await startInsideWithAccount()
  await leave(first, await prepare(first))
  await first.stop()
  const again = await startAgain(first)
  return Object.assign(again, {
    [Symbol.asyncDispose]: async () => {
      await again.stop()
      await first[Symbol.asyncDispose]()
    },
  })
}
