/** Ours and a peer measured in turns; the two lists pair up by round, and more is better. */
export interface Comparison {
  what: string
  ours: number[]
  /** Empty when there was no peer to measure. */
  peer: number[]
  /** The least median of the ratios ours : peer, inclusive. */
  target?: number
  /** Shows one measured value with its unit. */
  show: (value: number) => string
}

/** One measured value that has a limit of its own. */
export interface Limit {
  what: string
  value: number
  /** The most that is wanted, inclusive. */
  limit?: number
  /** Whether it is a time, and so depends on what else the machine does. */
  isTime?: boolean
  show: (value: number) => string
}

/** What the server's memory did while bodies of one size went through it, in bytes. */
export interface MemoryUse {
  what: string
  /** Resident before, once the server was warm. */
  before: number
  /** The most that was resident meanwhile. */
  peak: number
}

export interface Report {
  title: string
  peer: string
  comparisons: Comparison[]
  limits?: Limit[]
  memory: MemoryUse[]
  /** What else a reader should know: a missing peer, socket errors. */
  notes: string[]
}

export const KiB = 1024
export const MiB = 1024 ** 2
export const GiB = 1024 ** 3

/** Exclusive, for any size of body. */
const MAX_GROWTH_BYTES = 64 * MiB

/** The middle value, of an even count the mean of the two in the middle; `NaN` of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted.length >> 1
  const lower = (sorted.length - 1) >> 1
  return ((sorted[lower] ?? Number.NaN) + (sorted[upper] ?? Number.NaN)) / 2
}

/** Ours : peer for each round that both were measured in. */
export const ratios = ({ ours, peer }: Pick<Comparison, 'ours' | 'peer'>): number[] =>
  peer.flatMap((value, round) => {
    const own = ours[round]
    return own === undefined ? [] : [own / value]
  })

/** Lines of cells as text with aligned columns; the first line is the heading. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  )
  const pad = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  return lines.map((cells) => pad(cells).join('  ').trimEnd()).join('\n')
}

/** The whole report as plain text. */
export function formatReport({ title, peer, comparisons, limits = [], memory, notes }: Report): string {
  const speed = [['what', 'holdfast', peer, 'ratio', 'min-max', 'target', 'reached']]
  const single = [['what', 'holdfast', 'limit', 'reached']]
  const growth = [['memory', 'before', 'peak', 'growth', 'limit', 'reached']]
  return [
    title,
    ...(comparisons.length > 0 ? [table([...speed, ...comparisons.map(comparisonCells)])] : []),
    ...(limits.length > 0 ? [table([...single, ...limits.map(limitCells)])] : []),
    ...(memory.length > 0 ? [table([...growth, ...memory.map(memoryCells)])] : []),
    ...notes.map((note) => `note: ${note}`),
  ].join('\n\n')
}

function comparisonCells(comparison: Comparison): string[] {
  const { what, ours, peer, target, show } = comparison
  const own = show(median(ours))
  if (peer.length === 0) return [what, own, '-', '-', '-', target?.toFixed(2) ?? '-', '-']
  const all = ratios(comparison)
  const range = `${Math.min(...all).toFixed(2)}-${Math.max(...all).toFixed(2)}`
  const reached = target === undefined ? ['-', '-'] : [target.toFixed(2), yesOrNo(median(all) >= target)]
  return [what, own, show(median(peer)), median(all).toFixed(2), range, ...reached]
}

function limitCells({ what, value, limit, show }: Limit): string[] {
  if (limit === undefined) return [what, show(value), '-', '-']
  return [what, show(value), show(limit), yesOrNo(value <= limit)]
}

function memoryCells({ what, before, peak }: MemoryUse): string[] {
  const growth = peak - before
  const limit = showMiB(MAX_GROWTH_BYTES)
  return [what, showMiB(before), showMiB(peak), showMiB(growth), limit, yesOrNo(growth < MAX_GROWTH_BYTES)]
}

const yesOrNo = (reached: boolean) => (reached ? 'yes' : 'no')
const showMiB = (bytes: number) => `${(bytes / MiB).toFixed(0)} MiB`
