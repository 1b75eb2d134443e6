/** Maximum time of one child process, in milliseconds. */
const TIMEOUT_MS = 10_000

interface Run {
  stdin: number | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
  /** Maximum bytes of its output. */
  maxBuffer: number
}

/** Output of a child process. */
export interface Output {
  /** Empty when the process failed. */
  bytes: Uint8Array<ArrayBuffer>
  /** True when a signal ended it, as at its time limit: another run may succeed. */
  wasEnded: boolean
}

export const NO_OUTPUT: Output = { bytes: new Uint8Array(), wasEnded: false }

/** Runs a program that reads an uploaded file. It has none of the secrets of this process. */
export async function runChild(command: string[], { stdin, maxBuffer }: Run): Promise<Output> {
  const child = Bun.spawn(command, {
    stdin,
    stdout: 'pipe',
    stderr: 'ignore',
    env: {},
    cwd: '/',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer,
  })
  const [bytes, exitCode] = await Promise.all([new Response(child.stdout).bytes(), child.exited])
  if (exitCode === 0) return { bytes: new Uint8Array(bytes), wasEnded: false }
  return { ...NO_OUTPUT, wasEnded: child.signalCode !== null }
}
