import { describe, expect, test } from 'bun:test'
import { formatReport, KiB, median, ratios } from './report.ts'
import { parseTotals } from './wrk.ts'

describe('median()', () => {
  test.each([
    ['of an odd count the one in the middle', [10, 2, 9], 9],
    ['of an even count the mean of two', [4, 1, 3, 2], 2.5],
    ['of none not a number', [], Number.NaN],
  ])('returns %s', (_, values, expected) => {
    expect(median(values)).toBe(expected)
  })
})

describe('ratios()', () => {
  test('pairs the rounds and ignores one without its peer', () => {
    expect(ratios({ ours: [1, 6, 5], peer: [2, 3] })).toEqual([0.5, 2])
  })
})

describe('formatReport()', () => {
  const compared = {
    what: '1 KiB',
    against: 'nginx',
    ours: [60, 30, 90],
    peer: [100, 100, 100],
    show: String,
  }
  const limited = { what: 'start', value: 9, show: String }
  const reached = (row: Parameters<typeof formatReport>[0]['rows'][number]) =>
    formatReport({ title: '', rows: [row] })
      .split('\n')
      .at(-1)
      ?.split(/ *\| */)
      .at(-2)

  test('shows medians, ratios, reached targets and missing peers in columns', () => {
    const rows = [
      { ...compared, target: 0.6 },
      { ...compared, peer: [] },
      { ...limited, limit: 10 },
    ]
    expect(formatReport({ title: 'Title', rows, notes: ['a note'] }).split('\n')).toEqual([
      'Title',
      '',
      '| what  | against | Holdfast | the other | ratio | min-max   | wanted     | reached |',
      '|-------|---------|----------|-----------|-------|-----------|------------|---------|',
      '| 1 KiB | nginx   | 60       | 100       | 0.60  | 0.30-0.90 | 0.6        | yes     |',
      '| 1 KiB | nginx   | 60       | missing   | -     | -         | -          | -       |',
      '| start | -       | 9        | -         | -     | -         | at most 10 | yes     |',
      '',
      'Note: a note',
    ])
  })

  test.each([
    ['a ratio at its target', { ...compared, target: 0.6 }, 'yes'],
    ['a ratio below its target', { ...compared, target: 0.61 }, 'no'],
    ['a ratio without a target', compared, '-'],
    ['the most that is wanted', { ...limited, limit: 9 }, 'yes'],
    ['more than is wanted', { ...limited, limit: 8 }, 'no'],
    ['the least that is wanted', { ...limited, limit: 9, isLeast: true }, 'yes'],
    ['less than is wanted', { ...limited, limit: 10, isLeast: true }, 'no'],
  ])('shows whether %s was reached', (_, row, expected) => {
    expect(reached(row)).toBe(expected)
  })
})

describe('parseTotals()', () => {
  test('converts totals to rates a second and copies the errors', () => {
    expect(parseTotals(`Running\ntotals 4000 ${KiB} 2000000 3 7\n`)).toEqual({
      requestsPerSecond: 2000,
      bytesPerSecond: 512,
      refusals: 3,
      socketErrors: 7,
    })
  })

  test('refuses output without totals', () => {
    expect(() => parseTotals('unable to connect')).toThrow('Cannot read the output of wrk: unable to connect')
  })
})
