/**
 * Returns a function that yields to the event loop. Long work awaits it between its slices. Each call resolves in a
 * tick of its own, in the order of the calls, so that requests run between two slices of any work.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = []
  function takeNext(): void {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(takeNext)
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(takeNext)
    })
}
