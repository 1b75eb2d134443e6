import type { Deps } from '../deps.ts'
import type { Metric, Sample } from './text.ts'

/** What the server is asked and how it is, read when somebody looks. */
export function readMetrics(deps: Deps): Metric[] {
  return [...requestMetrics(deps), ...storeMetrics(deps), ...processMetrics(deps)]
}

const one = (value: number): Sample[] => [{ value }]

function requestMetrics({ requestCounts, traffic }: Deps): Metric[] {
  const counts = requestCounts.all()
  const hosted = traffic.sinceStart()
  const labelled = (numberOf: (count: (typeof counts)[number]) => number) =>
    counts.map((count) => ({
      labels: { kind: count.kind, status: count.status },
      value: numberOf(count),
    }))
  return [
    {
      name: 'holdfast_requests_total',
      type: 'counter',
      help: 'Answers, but for hosted files that were answered from memory.',
      samples: labelled(({ count }) => count),
    },
    {
      name: 'holdfast_request_seconds_total',
      type: 'counter',
      help: 'Seconds until those answers began, together.',
      samples: labelled(({ milliseconds }) => milliseconds / 1000),
    },
    {
      name: 'holdfast_hosted_requests_total',
      type: 'counter',
      help: 'Hosted files that were served, from memory too.',
      samples: one(hosted.requests),
    },
    {
      name: 'holdfast_hosted_bytes_total',
      type: 'counter',
      help: 'Bytes of hosted files that were handed to clients.',
      samples: one(hosted.bytes),
    },
    {
      name: 'holdfast_hosted_not_found_total',
      type: 'counter',
      help: 'Hosted requests that found nothing they may have.',
      samples: one(hosted.notFound),
    },
  ]
}

function storeMetrics({ catalog, volume }: Deps): Metric[] {
  const byVisibility = Object.entries(catalog.totals.byVisibility())
  const { available, capacity } = volume.space()
  return [
    {
      name: 'holdfast_files',
      type: 'gauge',
      help: 'Stored files.',
      samples: byVisibility.map(([visibility, { count }]) => ({ labels: { visibility }, value: count })),
    },
    {
      name: 'holdfast_file_bytes',
      type: 'gauge',
      help: 'Bytes of stored files.',
      samples: byVisibility.map(([visibility, { size }]) => ({ labels: { visibility }, value: size })),
    },
    {
      name: 'holdfast_damaged_files',
      type: 'gauge',
      help: 'Stored files that were found not to be what they were.',
      samples: one(catalog.integrity.summary()?.count ?? 0),
    },
    {
      name: 'holdfast_unfinished_uploads',
      type: 'gauge',
      help: 'Uploads that may be continued.',
      samples: one(catalog.resumables.unfinishedIds().length),
    },
    {
      name: 'holdfast_volume_available_bytes',
      type: 'gauge',
      help: 'Free bytes on the volume.',
      samples: one(available),
    },
    {
      name: 'holdfast_volume_capacity_bytes',
      type: 'gauge',
      help: 'Bytes that the volume could hold.',
      samples: one(capacity),
    },
  ]
}

/** Under the names that every dashboard knows. */
function processMetrics({ startedAt }: Deps): Metric[] {
  const { user, system } = process.cpuUsage()
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time.',
      samples: one((user + system) / 1e6),
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Resident memory.',
      samples: one(process.memoryUsage.rss()),
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the server started, in seconds since 1970.',
      samples: one(startedAt / 1000),
    },
  ]
}
