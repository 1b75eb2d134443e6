import { type PointerEvent, useState } from 'react'

export interface Bar {
  name: string
  value: number
}

interface BarChartProps {
  /** What is counted, for screen readers. */
  label: string
  bars: readonly Bar[]
  /** Where the axis ends. */
  top: number
  /** A value on the axis. */
  formatTick: (value: number) => string
  /** A value with what it counts. */
  format: (value: number) => string
  tone?: 'accent' | 'muted'
}

/**
 * A bar for each day. The value of one is shown where the pointer is, and by arrow keys: a slider that is not
 * seen goes through the bars and says their values.
 */
export function BarChart({ label, bars, top, formatTick, format, tone = 'accent' }: BarChartProps) {
  const [shown, show] = useState<number>()
  const last = bars.length - 1
  const bar = shown === undefined ? undefined : bars[shown]
  const point = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    show(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * bars.length))))
  }
  const say = ({ name, value }: Bar) => `${name}: ${format(value)}`
  return (
    <figure className={`chart chart-${tone}`}>
      <div className="chart-axis" aria-hidden>
        <span>{formatTick(top)}</span>
        <span>{formatTick(top / 2)}</span>
        <span>0</span>
      </div>
      <div
        className="chart-plot"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && show(undefined)}
      >
        {bars.map(({ name, value }, index) => (
          <span
            key={name}
            className={`chart-bar ${index === shown ? 'is-shown' : ''}`}
            style={{ '--size': value / top }}
          />
        ))}
        <input
          type="range"
          className="chart-keys"
          aria-label={label}
          aria-valuetext={say(bars[shown ?? last] ?? { name: label, value: 0 })}
          min={0}
          max={last}
          value={shown ?? last}
          onChange={(event) => show(Number(event.target.value))}
          onFocus={() => show((before) => before ?? last)}
          onBlur={() => show(undefined)}
        />
        {bar && (
          <p className="chart-tip" aria-hidden style={{ '--at': ((shown ?? 0) + 0.5) / bars.length }}>
            <strong>{format(bar.value)}</strong> {bar.name}
          </p>
        )}
      </div>
      <p className="chart-ends" aria-hidden>
        <span>{bars[0]?.name}</span>
        <span>{bars[last]?.name}</span>
      </p>
    </figure>
  )
}
