import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from './cleanup.ts'

const PROGRAMS = '/usr/lib/postgresql'

/** PostgreSQL server of a test, in its own folder on a free port. */
export interface TestPostgres extends Disposable {
  port: number
  /** Returns the address of a new, empty database. */
  createDatabase: () => string
  /** Stops all processes of the server where they are, so that it hangs. */
  hang: () => void
  proceed: () => void
  stop: (mode: 'fast' | 'immediate') => void
  start: () => void
  /** Starts a copy of this server that follows it. */
  startStandby: () => Promise<TestPostgres>
  /** Ends the role of a standby: it takes changes from now on. */
  promote: () => void
}

interface PostgresOptions {
  /** True for a server whose commits survive a power cut. */
  isDurable?: boolean
  /** Port of the server to copy and to follow, instead of an empty one. */
  follows?: number
}

/** Starts a server from the system's package `postgresql`. */
export async function startPostgres(settings: PostgresOptions = {}): Promise<TestPostgres> {
  const { isDurable = false, follows } = settings
  if (!existsSync(PROGRAMS))
    throw new Error('PostgreSQL is missing: apt-get install -y --no-install-recommends postgresql')
  const bin = join(PROGRAMS, readdirSync(PROGRAMS).toSorted().at(-1) ?? '', 'bin')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const run = (program: string, ...args: string[]): string => {
    const command = [...asItsUser(), join(bin, program), ...args]
    const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    })
    if (exitCode !== 0) throw new Error(`${program} failed: ${stderr}`)
    return stdout.toString()
  }
  prepareFolder(folder)
  const copied = ['-h', '127.0.0.1', '-p', `${follows}`, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
  if (follows !== undefined) run('pg_basebackup', '-D', data, '-U', 'holdfast', ...copied)
  else
    run('initdb', '-D', data, '-U', 'holdfast', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync')
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200 -c fsync=${isDurable}`
  const start = () => void run('pg_ctl', '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start')
  const stop = (mode: string) => void run('pg_ctl', '-D', data, '-m', mode, '-w', 'stop')
  /** Sends a signal to all processes of the server, the one that starts others first. */
  const signal = (name: NodeJS.Signals) => {
    const pid = Number(/\(PID: (\d+)\)/.exec(run('pg_ctl', '-D', data, 'status'))?.[1])
    process.kill(pid, name)
    // A child may end by itself meanwhile.
    for (const each of childrenOf(pid)) if (existsSync(`/proc/${each}`)) process.kill(each, name)
  }
  const end = () => {
    if (existsSync(join(data, 'postmaster.pid'))) {
      signal('SIGCONT')
      stop('immediate')
    }
    rmSync(folder, { recursive: true })
  }
  start()
  const forget = atExit(end)
  let count = 0
  return {
    port,
    createDatabase: () => {
      const name = `holdfast${count++}`
      run('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', 'holdfast', name)
      return `postgres://holdfast@127.0.0.1:${port}/${name}`
    },
    hang: () => signal('SIGSTOP'),
    proceed: () => signal('SIGCONT'),
    stop,
    start,
    startStandby: () => startPostgres({ isDurable, follows: port }),
    promote: () => void run('pg_ctl', '-D', data, '-w', 'promote'),
    [Symbol.dispose]: () => {
      forget()
      end()
    },
  }
}

/** Returns true for root, as which PostgreSQL refuses to run. */
const isRoot = () => process.getuid?.() === 0
const asItsUser = () => (isRoot() ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : [])

function prepareFolder(folder: string): void {
  chmodSync(folder, 0o755)
  if (!isRoot()) return
  const id = (option: string) => Number(Bun.spawnSync(['id', option, 'postgres']).stdout.toString())
  chownSync(folder, id('-u'), id('-g'))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  return address.port
}

/** Returns the ids of the processes that a process has started. */
function childrenOf(pid: number): number[] {
  const isChild = (name: string) => {
    try {
      // The parent is the second field after the name in parentheses (proc(5)).
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return Number(parent) === pid
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number)
}
