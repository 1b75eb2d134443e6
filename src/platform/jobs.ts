import { Cron } from 'croner'
import type { Log } from './log.ts'

/** Work that runs by the clock. */
export interface Job {
  /** Cron pattern in local time, with seconds if it has six fields. */
  pattern: string
  /** Name in the log line of a failure: "`task` failed". */
  task: string
  run: () => Promise<unknown>
  /** Runs at the start as well, for work that fell due while no server ran. */
  atStart?: boolean
  /** Runs on each of several servers with one database, for state of this process. Other work runs on one. */
  isEverywhere?: boolean
}

type JobOf = (pattern: string, task: string, run: Job['run']) => Job

/** Builds a job with `atStart`. */
export const alsoAtStart: JobOf = (pattern, task, run) => ({ pattern, task, run, atStart: true })

/** Builds a job with `isEverywhere`. */
export const onEachServer: JobOf = (pattern, task, run) => ({ pattern, task, run, isEverywhere: true })

interface JobServices {
  log: Log
  /**
   * Returns true when this server is to do a job that none has begun within some milliseconds. Without it, the server is
   * the only one.
   */
  claim?: ((job: string, everyMs: number) => Promise<boolean>) | undefined
  /** True for jobs that only run when their caller says so. */
  isPaused?: boolean
}

export type Jobs = ReturnType<typeof scheduleJobs>

/** Schedules jobs. A failure is logged once until the job has succeeded again; a running job is not started twice. */
export function scheduleJobs(jobs: readonly Job[], { log, claim, isPaused = false }: JobServices) {
  let isStopped = false
  const schedule = ({ pattern, task, run, isEverywhere = false }: Job) => {
    let isFailing = false
    return new Cron(pattern, { protect: true, unref: true, paused: isPaused }, async (cron) => {
      try {
        if (claim && !isEverywhere && !(await claim(task, halfOfPeriod(cron)))) return
        await run()
        isFailing = false
      } catch (error) {
        if (!isFailing && !isStopped) log.error(`${task} failed`, error)
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

/** Returns half of the time between two runs, in milliseconds: the clocks of servers differ, and a run may be late. */
function halfOfPeriod(cron: Cron): number {
  const [first, second] = cron.nextRuns(2)
  return first && second ? Math.round((second.getTime() - first.getTime()) / 2) : 0
}
