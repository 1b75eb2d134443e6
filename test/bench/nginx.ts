import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Nginx extends AsyncDisposable {
  url: string
}

export interface NginxOptions {
  binary: string
  /** The folder that is served. */
  root: string
  /** A folder for its own files. */
  home: string
}

const START_MS = 5000
const STOP_MS = 2000

/** Runs nginx with one worker until it answers. @throws with its complaint when it does not start. */
export async function startNginx({ binary, root, home }: NginxOptions): Promise<Nginx> {
  const port = findFreePort()
  mkdirSync(home)
  const config = join(home, 'nginx.conf')
  writeFileSync(config, configuration({ root, home, port }))
  const child = Bun.spawn([binary, '-p', home, '-c', config, '-e', 'stderr'], {
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
    throw new Error(`nginx does not answer: ${await child.stderr.text()}`, { cause: error })
  }
  return { url, [Symbol.asyncDispose]: stop }
}

/** A port that nobody listens on now; nginx cannot choose one and tell. */
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

/** The worker of a master run by root would be nobody, who cannot read the root's temporary folders. */
const userLine = () => (process.getuid?.() === 0 ? 'user root;' : '')

const configuration = ({ root, home, port }: { root: string; home: string; port: number }) => `
${userLine()}
daemon off;
worker_processes 1;
pid ${home}/nginx.pid;
error_log stderr;
events { worker_connections 1024; }
http {
  sendfile on;
  tcp_nopush on;
  access_log off;
  keepalive_requests 1000000000;
  default_type application/octet-stream;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
  }
}
`
