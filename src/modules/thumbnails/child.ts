import { resolve } from 'node:path'
import type { Output } from '../../store/bytes.ts'

/** Maximum time of one child process, in milliseconds. */
const TIMEOUT_MS = 10_000

interface Run {
  stdin: number | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
  /** Maximum bytes of its output. */
  maxBuffer: number
  /** Ends work that no request waits for, and that yields its processor to everything else. */
  spare?: AbortSignal | undefined
}

/** Command that runs another after everything else (nice(1)). */
const LATER = ['nice', '-n', '19']

export const NO_OUTPUT: Output = { bytes: new Uint8Array(), wasEnded: false }

/** Runs a program that reads an uploaded file. */
export type RunChild = (command: readonly string[], run: Run) => Promise<Output>

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

/** Limits of a child: kibibytes of memory (the runtime's own take 200 MiB), and seconds of its processor time. */
const MEMORY_KIB = 768 * 1024
const CPU_SECONDS = 10

/**
 * Sets the limits, which the program inherits, and leaves no core. Short of memory, the system ends it before the server
 * (proc(5), oom_score_adj).
 */
const LIMITED = `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
ulimit -c 0 && ulimit -d ${MEMORY_KIB} && ulimit -t ${CPU_SECONDS} && exec env -i "$0" "$@"`

/** Hides the data folder, its first argument, from the command that follows. */
const HIDING = 'mount -t tmpfs -o size=4k,mode=700 tmpfs "$0" && exec "$@"'

/**
 * Returns the command that runs another in namespaces of its own (unshare(1)): without a network, without the data
 * folder, and without access to the processes outside, so that it cannot read the server's environment or memory.
 */
const apart = (dataPath: string, command: readonly string[]) => [
  ...['unshare', '--user', '--map-root-user', '--net', '--mount'],
  ...['/bin/sh', '-c', HIDING, dataPath, ...command],
]

/**
 * Creates the function that runs programs which read uploaded files. They have no environment, bounded memory and time,
 * and, where the kernel lets this user make namespaces, nothing of the machine but its programs.
 *
 * @param probe Command that succeeds if a program runs at all.
 */
export function createRunChild(dataPath: string, probe: readonly string[]): RunChild {
  let canBeApart: Promise<boolean> | undefined
  // A child does not run in the folder of the server.
  const hidden = resolve(dataPath)
  return async (command, { stdin, maxBuffer, spare }) => {
    canBeApart ??= succeeds(apart(hidden, probe))
    const limited = ['/bin/sh', '-c', LIMITED, ...command]
    const whole = (await canBeApart) ? apart(hidden, limited) : limited
    if (spare?.aborted) {
      if (stdin instanceof ReadableStream) await stdin.cancel()
      return { ...NO_OUTPUT, wasEnded: true }
    }
    const child = Bun.spawn(spare ? [...LATER, ...whole] : whole, {
      stdin,
      stdout: 'pipe',
      stderr: 'ignore',
      // The shell finds its programs there; what it starts has no environment.
      env: { PATH },
      cwd: '/',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer,
      ...(spare && { signal: spare }),
    })
    const [bytes, exitCode] = await Promise.all([new Response(child.stdout).bytes(), child.exited])
    if (exitCode === 0) return { bytes: new Uint8Array(bytes), wasEnded: false }
    return { ...NO_OUTPUT, wasEnded: child.signalCode !== null }
  }
}

/** Returns true for a command that ends without an error. False where its program is missing. */
async function succeeds(command: readonly string[]): Promise<boolean> {
  try {
    const child = Bun.spawn([...command], {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { PATH },
      timeout: TIMEOUT_MS,
    })
    return (await child.exited) === 0
  } catch {
    return false
  }
}
