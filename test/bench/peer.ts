import { mkdirSync } from 'node:fs'

/** Web server that serves the same files as ours. */
export interface Peer extends AsyncDisposable {
  name: string
  url: string
}

export interface PeerOptions {
  name: string
  /** Folder for its own files, created on start. */
  home: string
  /** Writes its configuration and returns the command that serves on `port`. */
  prepare: (port: number) => { command: string[]; environment?: Record<string, string> }
}

const START_MS = 5000
const STOP_MS = 2000

/** Starts a web server and waits until it responds. @throws with its output when it does not start. */
export async function startPeer({ name, home, prepare }: PeerOptions): Promise<Peer> {
  const port = findFreePort()
  mkdirSync(home)
  const { command, environment = {} } = prepare(port)
  const child = Bun.spawn(command, {
    env: { PATH: process.env['PATH'], ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const stop = async () => {
    child.kill()
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await child.exited
    clearTimeout(timer)
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await waitUntilAnswering(url, () => child.exitCode !== null)
  } catch (error) {
    await stop()
    throw new Error(`${name} does not answer: ${await child.stderr.text()}`, { cause: error })
  }
  return { name, url, [Symbol.asyncDispose]: stop }
}

/** Returns a free port, because a peer cannot choose one and report it. */
function findFreePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  probe.stop(true)
  return probe.port
}

async function waitUntilAnswering(url: string, hasEnded: () => boolean): Promise<void> {
  const until = performance.now() + START_MS
  for (;;) {
    try {
      await fetch(url)
      return
    } catch (error) {
      if (hasEnded() || performance.now() > until) throw error
      await Bun.sleep(20)
    }
  }
}
