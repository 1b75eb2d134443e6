/** Value for Prometheus with its labels. */
export interface Sample {
  labels?: Record<string, string | number>
  value: number
}

export interface Metric {
  name: string
  type: 'counter' | 'gauge'
  help: string
  samples: readonly Sample[]
}

/** Builds a metric that only grows while the server runs. */
export const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
})

export const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
})

/** Media type of the text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Writes metrics in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats).
 */
export const writeMetrics = (metrics: readonly Metric[]): string =>
  metrics
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels, value }) => `${name}${writeLabels(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('')

function writeLabels(labels: Sample['labels']): string {
  if (!labels) return ''
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeValue(String(value))}"`)
    .join(',')}}`
}

const escapeValue = (value: string) =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
