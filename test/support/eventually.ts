import { expect } from 'bun:test'

/** Waits until `holds`, five seconds at most. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5000
  while (!(await holds()) && performance.now() < deadline) await Bun.sleep(5)
  expect(await holds()).toBe(true)
}
