import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Peer, startPeer } from './peer.ts'

export interface PeerFiles {
  binary: string
  /** Folder to serve. */
  root: string
  /** Folder for its own files. */
  home: string
}

/** Runs nginx with one worker. */
export function startNginx({ binary, root, home }: PeerFiles): Promise<Peer> {
  const prepare = (port: number) => {
    const config = join(home, 'nginx.conf')
    writeFileSync(config, configuration({ root, home, port }))
    return { command: [binary, '-p', home, '-c', config, '-e', 'stderr'] }
  }
  return startPeer({ name: 'nginx', home, prepare })
}

/** Returns the user of the worker: by default root's worker could not read root's temporary folders. */
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
