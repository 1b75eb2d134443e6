import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'

/** One process of a run: a batch of test files, or another command that counts what passed. */
export interface Job {
  step: string
  /** Words after the runtime. */
  command: readonly string[]
  /** Test files of the batch; none for another command. */
  files?: readonly string[]
  environment?: Record<string, string>
  /** Expected seconds. Longer jobs begin earlier. */
  seconds: number
}

/** Sums of one step. */
export interface StepSum {
  jobs: number
  passed: number
  cpuSeconds: number
}

export interface Outcome {
  steps: Map<string, StepSum>
  /** Jobs that failed twice, or once where too many failed. */
  failed: string[]
  /** Number of their failed tests. */
  failedTests: number
  /** Jobs that failed, then passed alone. */
  flaky: string[]
  /** Measured seconds of test files, by step and path. */
  seconds: Map<string, number>
}

/** Limit of one test, which means that it hangs. No file has another one. */
const TEST_LIMIT_MS = 300_000
/** Time after which a process hangs outside of its tests. */
const JOB_LIMIT_MS = 45 * 60_000
/** Time between two looks at the cores. */
const LOOK_MS = 1000
/** Cores without work that call for one more job, because those that run wait for something. */
const IDLE_CORES = 0.4
/** Maximum number of jobs for each core. */
const JOBS_PER_CORE = 2
/** Number of failed jobs up to which each runs once more. */
const MAX_REPEATED = 6
/** Lines of a failed job that are printed. */
const MAX_LINES = 150

interface Result {
  passed: number
  failed: number
  cpuSeconds: number
  output: string
  /** Failed test titles by file. */
  titles: Map<string, string[]>
  seconds: Map<string, number>
  isOk: boolean
}

/** Returns the job that runs test files in one process. */
export const batchOf = (job: Omit<Job, 'command'> & { files: readonly string[] }): Job => ({
  ...job,
  command: [
    ...['test', '--no-isolate', '--only-failures', '--timeout', String(TEST_LIMIT_MS)],
    ...job.files.map((file) => `./${file}`),
  ],
})

/** Returns the name of a job in lines for people. */
const nameOf = ({ step, command, files = [] }: Job) =>
  `${step}: ${files.length === 0 ? command.join(' ') : files.join(' ')}`

/** Returns the command that repeats a job. */
const commandOf = ({ command, environment = {} }: Job) =>
  [...Object.entries(environment).map(([name, value]) => `${name}=${value}`), 'bun', ...command].join(' ')

/** Runs one job and reads what its tests reported. */
async function run(job: Job, folder: string, jobLimitMs: number): Promise<Result> {
  const report = join(folder, `${crypto.randomUUID()}.xml`)
  const reporting = job.files ? ['--reporter=junit', `--reporter-outfile=${report}`] : []
  const [first = '', ...rest] = job.command
  const child = Bun.spawn([process.execPath, first, ...reporting, ...rest], {
    env: { ...process.env, ...job.environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: jobLimitMs,
    killSignal: 'SIGKILL',
  })
  const printed = await Promise.all([child.stdout.text(), child.stderr.text()])
  const exitCode = await child.exited
  const output = printed.join('')
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1e6
  const tests = job.files ? readReport(report) : readCounts(output)
  return { ...tests, output, cpuSeconds, isOk: exitCode === 0 && tests.failed === 0 && tests.passed > 0 }
}

type Tests = Pick<Result, 'passed' | 'failed' | 'titles' | 'seconds'>

/** Reads a report of the test runner in the format of JUnit. A process that crashed leaves none. */
function readReport(path: string): Tests {
  const tests: Tests = { passed: 0, failed: 0, titles: new Map(), seconds: new Map() }
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { ...tests, failed: 1 }
  }
  for (const [, attributes = '', body = ''] of text.matchAll(
    /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const of = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
    const file = of('file')
    tests.seconds.set(file, (tests.seconds.get(file) ?? 0) + Number(of('time')))
    if (!body.includes('<failure')) {
      tests.passed += 1
      continue
    }
    tests.failed += 1
    tests.titles.set(file, [...(tests.titles.get(file) ?? []), `${of('classname')} ${of('name')}`.trim()])
  }
  return tests
}

/** Reads the counts that every other command prints like the test runner. */
function readCounts(output: string): Tests {
  const sum = (word: string) =>
    [...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, 'gm'))].reduce((all, [, n]) => all + Number(n), 0)
  return { passed: sum('pass'), failed: sum('fail'), titles: new Map(), seconds: new Map() }
}

/** Returns the jobs that show alone which files of a failed job fail. A file that did not load reported no test. */
function partsOf(job: Job, { titles, seconds }: Result): Job[] {
  const { files } = job
  if (!files) return [job]
  const failed = files.filter((file) => titles.has(file) || !seconds.has(file))
  return (failed.length > 0 ? failed : files).map((file) => batchOf({ ...job, files: [file] }))
}

interface QueueOptions {
  /** True for a run that ends with the first job that fails twice. */
  bails?: boolean
  /** Time after which a process hangs outside of its tests. */
  jobLimitMs?: number
}

/** Measures the time in which the cores of this machine have no work. */
class IdleTime {
  #before = this.#read()

  /** Returns the number of cores without work since the last call. */
  cores(): number {
    const before = this.#before
    this.#before = this.#read()
    const seconds = (this.#before.at - before.at) / 1000
    return seconds === 0 ? 0 : (this.#before.idle - before.idle) / seconds
  }

  /** Returns the seconds without work, summed over the cores, and the moment in milliseconds. */
  #read(): { at: number; idle: number } {
    return { at: performance.now(), idle: cpus().reduce((sum, { times }) => sum + times.idle / 1000, 0) }
  }
}

/**
 * Runs jobs, longest first: one for each core, and more while those leave the cores without work. What failed runs once more
 * at the end, alone.
 */
export class Queue {
  readonly outcome: Outcome = { steps: new Map(), failed: [], failedTests: 0, flaky: [], seconds: new Map() }
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'))
  readonly #waiting: Job[]
  readonly #count: number
  readonly #bails: boolean
  readonly #jobLimitMs: number
  /** Parts of failed jobs, with the titles of their failed tests. */
  readonly #failed: { job: Job; titles: readonly string[] }[] = []
  #done = 0

  constructor(jobs: readonly Job[], { bails = false, jobLimitMs = JOB_LIMIT_MS }: QueueOptions = {}) {
    this.#waiting = jobs.toSorted((a, b) => b.seconds - a.seconds)
    this.#count = jobs.length
    this.#bails = bails
    this.#jobLimitMs = jobLimitMs
  }

  async run(): Promise<Outcome> {
    try {
      await this.#runAll()
      if (this.#failed.length > MAX_REPEATED) {
        console.log(`${this.#failed.length} parts failed: too many to repeat`)
        this.outcome.failed.push(...this.#failed.map(({ job }) => nameOf(job)))
        this.outcome.failedTests = this.#failed.reduce((sum, { titles }) => sum + titles.length, 0)
      } else await this.#repeat()
      return this.outcome
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  /** Starts each job as soon as the cores have room for it. */
  async #runAll(): Promise<void> {
    const running = new Set<Promise<void>>()
    const cores = availableParallelism()
    const idle = new IdleTime()
    const hasRoom = () =>
      running.size < cores || (running.size < JOBS_PER_CORE * cores && idle.cores() >= IDLE_CORES)
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      while (!hasRoom()) await Promise.race([...running, Bun.sleep(LOOK_MS)])
      const ended = this.#runJob(job).finally(() => running.delete(ended))
      running.add(ended)
    }
    await Promise.all(running)
  }

  async #runJob(job: Job): Promise<void> {
    const result = await run(job, this.#folder, this.#jobLimitMs)
    this.#done += 1
    this.#add(job, result, result.passed)
    const cpu = `${result.cpuSeconds.toFixed(1)} s of CPU, ${result.passed} passed`
    console.log(`${result.isOk ? 'ok  ' : 'FAIL'} ${this.#done}/${this.#count} ${cpu}  ${nameOf(job)}`)
    if (result.isOk) return
    printFailure(job, result)
    for (const part of partsOf(job, result))
      this.#failed.push({
        job: part,
        titles: result.titles.get(part.files?.[0] ?? '') ?? [`all of ${nameOf(part)}`],
      })
    if (this.#bails) await this.#repeat()
  }

  /** Runs each part that failed once more. */
  async #repeat(): Promise<void> {
    for (let part = this.#failed.shift(); part; part = this.#failed.shift()) {
      const { job, titles } = part
      const result = await run(job, this.#folder, this.#jobLimitMs)
      this.#add(job, result, result.isOk ? Math.min(titles.length, result.passed) : 0)
      if (result.isOk) {
        for (const title of titles) console.log(`flaky: ${title} (${nameOf(job)})`)
        this.outcome.flaky.push(nameOf(job))
      } else {
        printFailure(job, result)
        this.outcome.failed.push(nameOf(job))
        this.outcome.failedTests += Math.max(1, result.failed)
        if (this.#bails) this.#waiting.length = 0
      }
    }
  }

  #add({ step }: Job, { cpuSeconds, seconds }: Result, passed: number): void {
    const sum = this.outcome.steps.get(step) ?? { jobs: 0, passed: 0, cpuSeconds: 0 }
    sum.jobs += 1
    sum.passed += passed
    sum.cpuSeconds += cpuSeconds
    this.outcome.steps.set(step, sum)
    for (const [file, time] of seconds) this.outcome.seconds.set(`${step} ${file}`, time)
  }
}

/** Prints the end of a failed job's output, and the command that repeats it. */
function printFailure(job: Job, { output }: Result): void {
  const lines = output.trimEnd().split('\n')
  console.log(lines.slice(-MAX_LINES).join('\n'))
  console.log(`repeat: ${commandOf(job)}`)
}
