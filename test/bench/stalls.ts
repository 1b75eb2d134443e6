/** Milliseconds between two questions. */
const PAUSE_MS = 2

/**
 * Asks `url` again and again while `work` runs, and answers with the milliseconds of the longest wait, and
 * with what `work` gave.
 */
export async function watchStalls<Value>(
  url: string,
  work: () => Promise<Value>,
): Promise<{ longestMs: number; value: Value }> {
  let longestMs = 0
  let isDone = false
  const asking = (async () => {
    while (!isDone) {
      const begin = performance.now()
      await (await fetch(url)).arrayBuffer()
      longestMs = Math.max(longestMs, performance.now() - begin)
      await Bun.sleep(PAUSE_MS)
    }
  })()
  try {
    const value = await work()
    return { longestMs, value }
  } finally {
    isDone = true
    await asking
  }
}
