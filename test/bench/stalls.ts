/** Milliseconds between two requests. */
const PAUSE_MS = 2

/**
 * Requests `url` repeatedly while `work` runs. Returns the longest wait in milliseconds and the result of `work`.
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
