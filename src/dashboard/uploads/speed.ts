/** Milliseconds over which the speed is averaged: long enough to be steady, short enough to be current. */
const WINDOW_MS = 4000

/** Returns a meter of the recent transfer speed. */
export function measureSpeed(now: () => number = () => performance.now()) {
  let samples: { at: number; bytes: number }[] = []
  return {
    add: (bytes: number): void => {
      const at = now()
      samples = [...samples.filter((sample) => at - sample.at < WINDOW_MS), { at, bytes }]
    },
    /** Returns bytes per second; 0 while nothing moves. */
    current: (): number => {
      const at = now()
      const recent = samples.filter((sample) => at - sample.at < WINDOW_MS)
      const [first] = recent
      if (!first) return 0
      const bytes = recent.reduce((sum, sample) => sum + sample.bytes, 0)
      return (bytes * 1000) / Math.max(at - first.at, 500)
    },
  }
}
