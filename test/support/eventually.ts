import { expect } from 'bun:test'

/** Waits until `holds`, for at most 60 seconds. Tests time out later, so the failure names the wait. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await holds()) && performance.now() < deadline) await Bun.sleep(5)
  expect(await holds()).toBe(true)
}

/** Lets the event loop run so often that all that was ready to happen has happened. */
export async function rounds(count = 20): Promise<void> {
  for (let round = 0; round < count; round += 1) await Bun.sleep(0)
}
