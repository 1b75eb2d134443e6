import { describe, expect, test } from 'bun:test'
import { formatReport, GiB, KiB, MiB, median, ratios } from './report.ts'
import { parseTotals } from './wrk.ts'

describe('median()', () => {
  test.each([
    ['of an odd count the one in the middle', [10, 2, 9], 9],
    ['of an even count the mean of two', [4, 1, 3, 2], 2.5],
    ['of none not a number', [], Number.NaN],
  ])('is %s', (_, values, expected) => {
    expect(median(values)).toBe(expected)
  })
})

describe('ratios()', () => {
  test('pairs the rounds and leaves out one without its peer', () => {
    expect(ratios({ ours: [1, 6, 5], peer: [2, 3] })).toEqual([0.5, 2])
  })
})

describe('formatReport()', () => {
  const report = (ours: number[], peak: number) =>
    formatReport({
      title: 'Title',
      peer: 'nginx',
      comparisons: [{ what: '1 KiB', ours, peer: [100, 100, 100], target: 0.6, show: String }],
      memory: [{ what: '1 KiB', before: GiB, peak }],
      notes: ['a note'],
    })

  test('shows medians, ratios and what was reached in columns', () => {
    expect(report([60, 30, 90], GiB + 64 * MiB - 1).split('\n')).toEqual([
      'Title',
      '',
      'what   holdfast  nginx  ratio  min-max    target  reached',
      '1 KiB  60        100    0.60   0.30-0.90  0.60    yes',
      '',
      'memory  before    peak      growth  limit   reached',
      '1 KiB   1024 MiB  1088 MiB  64 MiB  64 MiB  yes',
      '',
      'note: a note',
    ])
  })

  test('a ratio below its target and growth of the whole limit are not reached', () => {
    const lines = report([59, 59, 59], GiB + 64 * MiB).split('\n')

    expect(lines[3]).toEndWith('no')
    expect(lines[6]).toEndWith('no')
  })
})

describe('parseTotals()', () => {
  test('turns totals into rates a second and keeps the errors', () => {
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
