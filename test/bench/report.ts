/** Rates of our server and a peer, measured in alternation. The lists pair by round, and more is better. */
export interface Comparison {
  what: string
  /** Name of the peer. */
  against: string
  ours: number[]
  /** Values of the peer; empty when there is none. */
  peer: number[]
  /** Least median of the ratios ours : peer, inclusive. */
  target?: number
  /** Formats a value with its unit. */
  show: (value: number) => string
}

/** Value with its own limit. */
export interface Limit {
  what: string
  value: number
  /** Maximum, or minimum if `isLeast`; inclusive. */
  limit?: number
  isLeast?: boolean
  /** True for a time, which depends on the machine's other load. */
  isTime?: boolean
  show: (value: number) => string
}

export type Row = Comparison | Limit

/** Limits the growth of the server's memory under a load, which must not depend on the bytes transferred. */
export const growthOfMemory = (what: string, value: number): Limit => ({
  what,
  value,
  limit: 64 * MB,
  show: showMB,
})

export interface Report {
  title: string
  rows: readonly Row[]
  /** Notes for the reader: a missing peer, socket errors. */
  notes?: readonly string[]
}

export const KiB = 1024
export const MiB = 1024 ** 2
export const GiB = 1024 ** 3
export const MB = 1e6

export const showRate = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`
export const showMs = (value: number) => `${value.toFixed(value < 1 ? 3 : 1)} ms`
export const showMB = (bytes: number) => `${(bytes / MB).toFixed(0)} MB`
/** Formats bytes a second. */
export const showThroughput = (rate: number) => `${Math.round(rate / MiB).toLocaleString('en')} MiB/s`

/** Returns the median; `NaN` of an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted.length >> 1
  const lower = (sorted.length - 1) >> 1
  return ((sorted[lower] ?? Number.NaN) + (sorted[upper] ?? Number.NaN)) / 2
}

/** Returns the ratios ours : peer of the rounds that have both. */
export const ratios = ({ ours, peer }: Pick<Comparison, 'ours' | 'peer'>): number[] =>
  peer.flatMap((value, round) => {
    const own = ours[round]
    return own === undefined ? [] : [own / value]
  })

const HEADING = ['what', 'against', 'Holdfast', 'the other', 'ratio', 'min-max', 'wanted', 'reached']

/** Formats a report as a Markdown table whose columns also align as plain text. */
export function formatReport({ title, rows, notes = [] }: Report): string {
  const cells = [HEADING, ...rows.map((row) => ('value' in row ? limitCells(row) : comparisonCells(row)))]
  const widths = HEADING.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const format = (line: string[]) => `| ${line.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  const [heading, ...lines] = cells.map(format)
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [title, [heading, rule, ...lines].join('\n'), ...notes.map((note) => `Note: ${note}`)].join('\n\n')
}

function comparisonCells(comparison: Comparison): string[] {
  const { what, against, ours, peer, target, show } = comparison
  const wanted = target === undefined ? '-' : String(target)
  if (peer.length === 0) return [what, against, show(median(ours)), 'missing', '-', '-', wanted, '-']
  const all = ratios(comparison)
  const ratio = median(all)
  const range = `${Math.min(...all).toFixed(2)}-${Math.max(...all).toFixed(2)}`
  const reached = target === undefined ? '-' : yesOrNo(ratio >= target)
  return [what, against, show(median(ours)), show(median(peer)), ratio.toFixed(2), range, wanted, reached]
}

function limitCells({ what, value, limit, isLeast = false, show }: Limit): string[] {
  const cells = [what, '-', show(value), '-', '-', '-']
  if (limit === undefined) return [...cells, '-', '-']
  const reached = isLeast ? value >= limit : value <= limit
  return [...cells, `${isLeast ? 'at least' : 'at most'} ${show(limit)}`, yesOrNo(reached)]
}

const yesOrNo = (reached: boolean) => (reached ? 'yes' : 'no')

/** Returns the value below which a share of the values is; `NaN` of an empty list. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN
