/** Possible ends of an axis. */
const STEPS = [2, 3, 4, 6, 8, 10]

/** Returns the end of an axis of counts: a round number not below `most`, whose half is whole. */
export function niceTop(most: number): number {
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(most, 1))) - 1)
  return (STEPS.find((step) => step * power >= most && (step * power) % 2 === 0) ?? 10) * power
}

/** Returns the end of an axis of bytes: a round number in the unit of its labels. */
export function niceTopOfBytes(most: number): number {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(most, 1)) / 10)
  return niceTop(most / unit) * unit
}
