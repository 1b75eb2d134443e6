import { useState } from 'react'
import type { HostingStats } from '../../api/stats.ts'
import { BarChart } from '../../components/charts/bar-chart.tsx'
import { Pane } from '../../components/pane.tsx'
import { formatBytes, formatCount, formatUtcDay } from '../../lib/format.ts'
import { niceTop, niceTopOfBytes } from '../../lib/scale.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

type Days = HostingStats['days']
type Measure = 'requests' | 'bytes' | 'notFound'

const MEASURES: Record<Measure, { sum: (value: number) => string; format: (value: number) => string }> = {
  requests: {
    sum: (value) => value.toLocaleString(),
    format: (value) => formatCount(value, texts.nouns.request),
  },
  bytes: { sum: formatBytes, format: formatBytes },
  notFound: {
    sum: (value) => value.toLocaleString(),
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
      <fieldset className="measures">
        <legend className="visually-hidden">{overviewTexts.measure}</legend>
        {NAMES.map((name) => (
          <button key={name} type="button" aria-pressed={name === measure} onClick={() => choose(name)}>
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
