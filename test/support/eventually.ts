import { expect } from 'bun:test'

/** Waits until `holds`, 60 seconds at most: less than a test may take, so that the failure names the wait. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await holds()) && performance.now() < deadline) await Bun.sleep(5)
  expect(await holds()).toBe(true)
}
