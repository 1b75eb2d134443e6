import type { FileStats } from '../../api/stats.ts'
import { BarChart } from '../../components/charts/bar-chart.tsx'
import { Pane } from '../../components/pane.tsx'
import { formatBytes, formatCount, formatUtcDay } from '../../lib/format.ts'
import { niceTop } from '../../lib/scale.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

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
        formatTick={(value) => value.toLocaleString()}
        format={(value) => formatCount(value, texts.nouns.file)}
      />
    </Pane>
  )
}
