import { expect } from 'bun:test'

/** Waits until `holds`, ten seconds at most. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await holds()) && performance.now() < deadline) await Bun.sleep(5)
  expect(await holds()).toBe(true)
}
