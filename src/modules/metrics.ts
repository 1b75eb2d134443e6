import { Elysia } from 'elysia'
import type { Context, TreeContext } from '../access/context.ts'
import { whole } from '../access/reach.ts'
import type { RequestCounts } from '../api/route-facts.ts'
import { exchangeOf } from '../http/exchange.ts'
import { isRefused, Refusal, refuseTooMany } from '../platform/errors.ts'
import { type RateLimiter, rateLimitBucket } from '../platform/rate-limit.ts'
import { isSameSecret } from '../platform/same-secret.ts'

/** Sources of the metrics. */
interface MetricsContext extends Context {
  requestCounts: RequestCounts
  /** Counts of hosted requests. */
  traffic: { sinceStart: () => { requests: number; bytes: number; notFound: number } }
  apiLimiter: RateLimiter
  /** Start of the server, in milliseconds since 1970. */
  startedAt: number
}

/** The token authorizes it. Operators look at it when the database is away. */
const HOOKS = { detail: { security: [] }, facts: { isAlwaysThere: true } }

/**
 * Builds `/metrics` for Prometheus, protected by its token; without a token there is no such route. The rate
 * limit of the API counts requests without the token only, so that a flood does not keep Prometheus out.
 */
export function metricsRoutes(deps: MetricsContext) {
  const { metricsToken } = deps.config
  const routes = new Elysia()
  if (metricsToken === undefined) return routes
  routes.get(
    '/metrics',
    async ({ request }) => {
      if (!isBearer(request.headers, metricsToken)) {
        const wait = deps.apiLimiter.take(rateLimitBucket(exchangeOf(request).clientAddress))
        if (wait > 0) throw refuseTooMany(wait)
        throw new Refusal('unauthorized', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } })
      }
      const headers = { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' }
      return new Response(writeMetrics(await readMetrics(deps)), { headers })
    },
    HOOKS,
  )
  return routes
}

function isBearer(headers: Headers, token: string): boolean {
  const [, sent = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  return isSameSecret(sent, token)
}

/** Reads the metrics of the server when they are scraped. */
async function readMetrics(deps: MetricsContext): Promise<Metric[]> {
  return [...requestMetrics(deps), ...(await databaseMetrics(deps)), ...processMetrics(deps)]
}

const one = (value: number): Sample[] => [{ value }]

function requestMetrics({ requestCounts, traffic }: MetricsContext): Metric[] {
  const counts = requestCounts.all()
  const samplesOf = (numberOf: (count: (typeof counts)[number]) => number) =>
    counts.map((count) => ({ labels: { kind: count.kind, status: count.status }, value: numberOf(count) }))
  const answers = samplesOf(({ count }) => count)
  const seconds = samplesOf(({ milliseconds }) => milliseconds / 1000)
  const { requests, bytes, notFound } = traffic.sinceStart()
  return [
    counter('holdfast_requests_total', 'Responses, except hosted files from the response cache.', answers),
    counter('holdfast_request_seconds_total', 'Sum of the seconds until those responses began.', seconds),
    counter(
      'holdfast_hosted_requests_total',
      'Hosted files served, including those from the response cache.',
      one(requests),
    ),
    counter('holdfast_hosted_bytes_total', 'Bytes of hosted files that were handed to clients.', one(bytes)),
    counter('holdfast_hosted_not_found_total', 'Hosted requests that found nothing.', one(notFound)),
  ]
}

/** Reads the metrics about rows, and those of a database of several servers, which may be away. */
async function databaseMetrics(deps: MetricsContext): Promise<Metric[]> {
  const pool = deps.store.poolUse?.()
  if (!pool) return await storeMetrics(whole(deps))
  const found = await storeMetrics(whole(deps)).catch((error) => {
    if (isRefused(error, 503)) return undefined
    throw error
  })
  return [
    ...(found ?? []),
    gauge('holdfast_database_up', 'Whether the shared database responds.', one(found ? 1 : 0)),
    gauge('holdfast_database_connections', 'Connections to the shared database in use.', one(pool.held)),
    gauge('holdfast_database_waiting', 'Requests that wait for a connection now.', one(pool.waiting)),
    counter('holdfast_database_waits_total', 'Requests that had to wait for a connection.', one(pool.waited)),
  ]
}

async function storeMetrics({ store }: TreeContext): Promise<Metric[]> {
  const totals = Object.entries(await store.totals.byVisibility())
  const counts = totals.map(([visibility, { count }]) => ({ labels: { visibility }, value: count }))
  const sizes = totals.map(([visibility, { size }]) => ({ labels: { visibility }, value: size }))
  const damage = await store.integrity.summary()
  const damaged = damage ? damage.files + damage.trash + damage.versions : 0
  const unfinished = (await store.resumables.unfinishedIds()).length
  const { available, capacity } = store.space()
  const logSize = store.logSize()
  return [
    gauge('holdfast_files', 'Stored files.', counts),
    gauge('holdfast_file_bytes', 'Bytes of stored files.', sizes),
    gauge('holdfast_damaged_files', 'Stored files that are not what they were.', one(damaged)),
    gauge('holdfast_unfinished_uploads', 'Uploads that may be continued.', one(unfinished)),
    ...(logSize === undefined
      ? []
      : [gauge('holdfast_database_log_bytes', 'Size of the write-ahead log of the database.', one(logSize))]),
    gauge('holdfast_volume_available_bytes', 'Free bytes on the store.', one(available)),
    gauge('holdfast_volume_capacity_bytes', 'Bytes that the volume could hold.', one(capacity)),
  ]
}

/** Builds the process metrics under their conventional names. */
function processMetrics({ startedAt }: MetricsContext): Metric[] {
  const { user, system } = process.cpuUsage()
  const seconds = (user + system) / 1e6
  return [
    counter('process_cpu_seconds_total', 'Processor time.', one(seconds)),
    gauge('process_resident_memory_bytes', 'Resident memory.', one(process.memoryUsage.rss())),
    gauge('process_start_time_seconds', 'Start of the server, in seconds since 1970.', one(startedAt / 1000)),
  ]
}

/** Value for Prometheus with its labels. */
interface Sample {
  labels?: Record<string, string | number>
  value: number
}

interface Metric {
  name: string
  type: 'counter' | 'gauge'
  help: string
  samples: readonly Sample[]
}

/** Builds a metric that only grows while the server runs. */
const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
})

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
})

/** Media type of the text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Writes metrics in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats).
 */
const writeMetrics = (metrics: readonly Metric[]): string =>
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
