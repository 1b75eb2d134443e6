import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PeerFiles } from './nginx.ts'
import { type Peer, startPeer } from './peer.ts'

/** Runs Caddy on one thread, like the other two servers. */
export function startCaddy({ binary, root, home }: PeerFiles): Promise<Peer> {
  const prepare = (port: number) => {
    const config = join(home, 'Caddyfile')
    const site = `http://127.0.0.1:${port} {\n\troot * ${root}\n\tfile_server\n}\n`
    writeFileSync(config, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
    const environment = { GOMAXPROCS: '1', HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
    return { command: [binary, 'run', '--config', config, '--adapter', 'caddyfile'], environment }
  }
  return startPeer({ name: 'Caddy', home, prepare })
}
