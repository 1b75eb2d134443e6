/** Ours and another measured in turns; the two lists pair up by round, and more is better. */
export interface Comparison {
  what: string
  /** What is measured beside us. */
  against: string
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
  /** The most that is wanted, or the least where `isLeast` says so; inclusive. */
  limit?: number
  isLeast?: boolean
  /** Whether it is a time, and so depends on what else the machine does. */
  isTime?: boolean
  show: (value: number) => string
}

export type Row = Comparison | Limit

/** What a load may cost of the server's memory, however many bytes pass. */
export const growthOfMemory = (what: string, value: number): Limit => ({
  what,
  value,
  limit: 64 * MB,
  show: showMB,
})

export interface Report {
  title: string
  rows: readonly Row[]
  /** What else a reader should know: a missing peer, socket errors. */
  notes?: readonly string[]
}

export const KiB = 1024
export const MiB = 1024 ** 2
export const GiB = 1024 ** 3
export const MB = 1e6

export const showRate = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`
export const showMs = (value: number) => `${value.toFixed(value < 1 ? 3 : 1)} ms`
export const showMB = (bytes: number) => `${(bytes / MB).toFixed(0)} MB`
/** Of bytes a second. */
export const showThroughput = (rate: number) => `${Math.round(rate / MiB).toLocaleString('en')} MiB/s`

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

const HEADING = ['what', 'against', 'Holdfast', 'the other', 'ratio', 'min-max', 'wanted', 'reached']

/** The whole report: a Markdown table whose columns are aligned as text, too. */
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
