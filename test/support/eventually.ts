import { expect } from 'bun:test'

/** Limit of a wait in milliseconds, which only what hangs reaches. Below that of a test, so the failure names the wait. */
export const HUNG_MS = 240_000

/** Limit of the next waits. After one that hung, the run has failed, so others like it do not take as long again. */
let patience = HUNG_MS

/** Waits until `holds`. Returns false when it hangs. */
export async function becomes(holds: () => boolean | Promise<boolean>, pauseMs = 5): Promise<boolean> {
  for (const until = performance.now() + patience; !(await holds()); await Bun.sleep(pauseMs))
    if (performance.now() > until) {
      patience = 10_000
      return false
    }
  return true
}

/** Waits until `holds`. @throws when it hangs. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  expect(await becomes(holds)).toBe(true)
}

/** Lets the event loop run so often that all that was ready to happen has happened. */
export async function rounds(count = 20): Promise<void> {
  for (let round = 0; round < count; round += 1) await Bun.sleep(0)
}
