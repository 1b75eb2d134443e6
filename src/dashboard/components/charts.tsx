import { type PointerEvent, useState } from 'react'

export interface Bar {
  name: string
  value: number
}

interface BarChartProps {
  /** Name of the counted thing, for screen readers. */
  label: string
  bars: readonly Bar[]
  /** Upper end of the axis. */
  top: number
  /** Formats a value on the axis. */
  formatTick: (value: number) => string
  /** Formats a value with its noun. */
  format: (value: number) => string
  tone?: 'accent' | 'muted'
}

/**
 * Chart with a bar for each day. Pointer and arrow keys select a bar and show its value. The keys work on an
 * invisible slider, which screen readers announce.
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
    <figure className={`chart chart-${tone} grow tiny soft digits`}>
      <div className="chart-axis column gap-0 apart" aria-hidden>
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
      <p className="chart-ends row gap-0 apart" aria-hidden>
        <span>{bars[0]?.name}</span>
        <span>{bars[last]?.name}</span>
      </p>
    </figure>
  )
}

interface SparklineProps {
  label: string
  values: readonly { name: string; value: number }[]
}

const HEIGHT = 40
const STEP = 10

/** Small chart with a bar for each value. */
export function Sparkline({ label, values }: SparklineProps) {
  const most = Math.max(1, ...values.map(({ value }) => value))
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {values.map(({ name, value }, index) => {
        const height = Math.max(1, (value / most) * HEIGHT)
        return (
          <rect key={name} x={index * STEP + 1} y={HEIGHT - height} width={STEP - 2} height={height}>
            <title>{`${name}: ${value}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** Possible ends of an axis. */
const STEPS = [2, 3, 4, 6, 8, 10]

/** Returns the end of an axis of counts: a round number not below `most`, whose half is whole. */
export function niceTop(most: number): number {
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(most, 1))) - 1)
  return (STEPS.find((step) => step * power >= most && (step * power) % 2 === 0) ?? 10) * power
}

/** Returns the end of an axis of bytes: a round number in the unit of its labels. */
export function niceTopOfBytes(most: number): number {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(most, 1)) / 10)
  return niceTop(most / unit) * unit
}
