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
