import { useState } from 'react'
import type { FileStats, HostingStats, KeyStats } from '../../api/instance.ts'
import { BarChart, niceTop, niceTopOfBytes } from '../../components/charts.tsx'
import { Pane } from '../../components/page.tsx'
import { formatNumber } from '../../language.ts'
import { formatBytes, formatCount, formatUtcDay, formatWhen } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

type Days = HostingStats['days']
type Measure = 'requests' | 'bytes' | 'notFound'

const MEASURES: Record<Measure, { sum: (value: number) => string; format: (value: number) => string }> = {
  requests: {
    sum: (value) => formatNumber(value),
    format: (value) => formatCount(value, texts.nouns.request),
  },
  bytes: { sum: formatBytes, format: formatBytes },
  notFound: {
    sum: (value) => formatNumber(value),
    format: (value) => formatCount(value, texts.nouns.miss),
  },
}
const NAMES = ['requests', 'bytes', 'notFound'] as const

/** Hosting traffic: one chart, and the sums that select its content. */
export function Traffic({ days }: { days: Days }) {
  const [measure, choose] = useState<Measure>('requests')
  const values = days.map((day) => day[measure])
  const most = Math.max(...values)
  return (
    <Pane
      title={overviewTexts.traffic}
      className="overview-wide"
      aside={<small>{overviewTexts.month}</small>}
    >
      <fieldset className="measures row">
        <legend className="visually-hidden">{overviewTexts.measure}</legend>
        {NAMES.map((name) => (
          <button
            key={name}
            type="button"
            className="stack gap-0 note"
            aria-pressed={name === measure}
            onClick={() => choose(name)}
          >
            <span>{overviewTexts.measures[name]}</span>
            <strong>{MEASURES[name].sum(days.reduce((sum, day) => sum + day[name], 0))}</strong>
          </button>
        ))}
      </fieldset>
      <BarChart
        label={overviewTexts.perDay(overviewTexts.measures[measure])}
        bars={days.map((day) => ({ name: formatUtcDay(day.date), value: day[measure] }))}
        top={measure === 'bytes' ? niceTopOfBytes(most) : niceTop(most)}
        formatTick={MEASURES[measure].sum}
        format={MEASURES[measure].format}
        tone={measure === 'notFound' ? 'muted' : 'accent'}
      />
    </Pane>
  )
}

/** Chart of added files that still exist. */
export function Added({ days }: { days: FileStats['added'] }) {
  const sum = days.reduce((all, { count, size }) => ({ count: all.count + count, size: all.size + size }), {
    count: 0,
    size: 0,
  })
  const total = `${formatCount(sum.count, texts.nouns.file)}, ${formatBytes(sum.size)}`
  return (
    <Pane title={overviewTexts.added} className="overview-half" aside={<small>{total}</small>}>
      <BarChart
        label={overviewTexts.perDay(overviewTexts.added)}
        bars={days.map(({ date, count }) => ({ name: formatUtcDay(date), value: count }))}
        top={niceTop(Math.max(...days.map(({ count }) => count)))}
        formatTick={(value) => formatNumber(value)}
        format={(value) => formatCount(value, texts.nouns.file)}
      />
    </Pane>
  )
}

const SHOWN = 4

/** Requests with the account's API keys in a week. */
export function KeyUse({ stats: { requests, keys } }: { stats: KeyStats }) {
  const sum = requests.reduce((all, { count }) => all + count, 0)
  return (
    <Pane
      title={overviewTexts.keys}
      className="overview-half"
      aside={<small>{overviewTexts.inWeek(formatCount(sum, texts.nouns.request))}</small>}
    >
      <div className="key-use">
        <BarChart
          label={overviewTexts.perDay(overviewTexts.keys)}
          bars={requests.map(({ date, count }) => ({ name: formatUtcDay(date), value: count }))}
          top={niceTop(Math.max(...requests.map(({ count }) => count)))}
          formatTick={(value) => formatNumber(value)}
          format={(value) => formatCount(value, texts.nouns.request)}
        />
        {keys.length === 0 ? (
          <p className="note">
            {overviewTexts.noKeys} <Link to="/keys">{overviewTexts.makeKey}</Link>
          </p>
        ) : (
          <ol className="rows stack gap-3 small">
            {keys.slice(0, SHOWN).map(({ id, name, requests: count, lastUsed }) => (
              <li key={id}>
                <Link to="/keys" className="medium cut">
                  {name}
                </Link>
                <span className="row-value digits">{formatNumber(count)}</span>
                <small>
                  {lastUsed ? overviewTexts.usedAt(formatWhen(lastUsed)) : overviewTexts.neverUsed}
                </small>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Pane>
  )
}
