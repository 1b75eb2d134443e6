/**
 * Takes turns at long work that is done in slices: each call resolves in a turn of the event loop that is no other
 * call's, in the order of the calls. So between two slices requests are answered, however many lists and archives are
 * being made.
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
