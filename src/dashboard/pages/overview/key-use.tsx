import { Link } from '@tanstack/react-router'
import type { KeyStats } from '../../api/stats.ts'
import { BarChart } from '../../components/charts/bar-chart.tsx'
import { Pane } from '../../components/pane.tsx'
import { formatCount, formatUtcDay } from '../../lib/format.ts'
import { formatWhen } from '../../lib/relative-time.ts'
import { niceTop } from '../../lib/scale.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

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
          formatTick={(value) => value.toLocaleString()}
          format={(value) => formatCount(value, texts.nouns.request)}
        />
        {keys.length === 0 ? (
          <p className="lead">
            {overviewTexts.noKeys} <Link to="/keys">{overviewTexts.makeKey}</Link>
          </p>
        ) : (
          <ol className="rows">
            {keys.slice(0, SHOWN).map(({ id, name, requests: count, lastUsed }) => (
              <li key={id}>
                <Link to="/keys">{name}</Link>
                <span className="row-value">{count.toLocaleString()}</span>
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
