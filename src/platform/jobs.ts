import { Cron } from 'croner'
import type { Log } from './log.ts'

/** Work that runs by the clock. */
export interface Job {
  /** Cron pattern in local time, with seconds if it has six fields. */
  pattern: string
  /** Subject of the log line of a failure: "`what` failed". */
  what: string
  run: () => Promise<unknown>
  /** Runs at the start as well, for what fell due while no server ran. */
  atStart?: boolean
}

export type Jobs = ReturnType<typeof scheduleJobs>

/** Schedules jobs. A failure is logged once until the job has succeeded again; a running job is not started twice. */
export function scheduleJobs(jobs: readonly Job[], { log }: { log: Log }) {
  let isStopped = false
  const schedule = ({ pattern, what, run }: Job) => {
    let isFailing = false
    return new Cron(pattern, { protect: true, unref: true }, async () => {
      try {
        await run()
        isFailing = false
      } catch (error) {
        if (!isFailing && !isStopped) log.error(`${what} failed`, error)
        isFailing = true
      }
    })
  }
  const scheduled = jobs.map((job) => ({ job, cron: schedule(job) }))
  for (const { job, cron } of scheduled) if (job.atStart) void cron.trigger()
  return {
    /** Runs each job once, one after another. */
    runAll: async () => {
      for (const { cron } of scheduled) await cron.trigger()
    },
    stop: () => {
      isStopped = true
      for (const { cron } of scheduled) cron.stop()
    },
  }
}
