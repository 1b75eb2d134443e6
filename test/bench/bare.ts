import { join } from 'node:path'
import { type Peer, startPeer } from './peer.ts'

const PROGRAM = join(import.meta.dir, 'bare-server.ts')

/** Runs the minimal server on this runtime. */
export const startBare = ({ root, home }: { root: string; home: string }): Promise<Peer> =>
  startPeer({
    name: 'the bare server',
    home,
    prepare: (port) => ({ command: [process.execPath, PROGRAM, root, String(port)] }),
  })
