import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { basename, join } from 'node:path'
import { becomes } from '../support/eventually.ts'
import { filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import { openSocket } from '../support/socket.ts'
import type { RigOptions, Tally } from '../support/tally.ts'
import type { Bench } from './bench.ts'
import { inspect, openCatalog, readState } from './inspect.ts'
import type { World } from './world.ts'

/** Ways in which a client disconnects. */
const WAYS: Record<string, (socket: Socket) => void> = {
  'closed at once': (socket) => socket.resetAndDestroy(),
  'ended early': (socket) => socket.end(),
}
/** Shares of the body that arrive. The first file is complete after half of it. */
const SHARES = [0, 0.01, 0.3, 0.5, 0.75, 0.999]

/** Aborts uploads at several points and in each way. The server must publish none of their files. */
export async function abortUploads(bench: Bench, tally: Tally, { isDeep }: RigOptions): Promise<void> {
  const world = await bench.startWorld()
  const violations: string[] = []
  const repeats = isDeep ? 10 : 2
  let positions = 0
  for (const [way, leave] of Object.entries(WAYS)) {
    for (const share of Array.from({ length: repeats }, () => SHARES).flat()) {
      positions += 1
      const before = activitiesOf(world)
      await abortUpload(world, share, leave)
      // The server publishes nothing after it has recorded the cancellation.
      if (!(await becomes(() => activitiesOf(world) > before)))
        violations.push(`${way} after ${share}: it is not on record`)
      const published = [...readState(world).files.keys()]
      if (published.length > 0) violations.push(`${way} after ${share}: ${published} are published`)
    }
  }
  await world.reboot()
  const { state, violations: broken } = await inspect(world, world.account)
  violations.push(...broken, ...[...state.files.keys()].map((key) => `${key} is published in the end`))
  await world.remove()
  tally.add('aborted uploads', positions, violations)
}

function activitiesOf({ dataPath }: World): number {
  using database = openCatalog(dataPath)
  return database.query<{ count: number }, []>('SELECT count(*) AS count FROM activities').get()?.count ?? 0
}

const HALF = 64 * 1024

/** Sends a share of an upload of two files, then disconnects. */
async function abortUpload(
  { port, account, dataPath }: World,
  share: number,
  leave: (socket: Socket) => void,
) {
  const parts = ['first', 'second'].map((name) => filePart(name, name.padEnd(HALF, '.')))
  const body = multipartBody(parts)
  const headers = { ...account?.withKey, ...MULTIPART, Host: 'holdfast.test', 'Content-Length': body.length }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = await openSocket(port)
  // The server may respond or reset: the rig checks only its files.
  socket.on('error', () => {})
  socket.write(`POST /api/files HTTP/1.1\r\n${lines.join('')}\r\n`)
  await new Promise((resolve) => socket.write(body.subarray(0, share * body.length), resolve))
  // A reset may overtake the bytes sent before it, so that the server never sees the request.
  await becomes(() => stagedNames(dataPath).length > 0, 1)
  // The server stages the second file only after it has received the first.
  if (share > 0.5) await becomes(() => stagedNames(dataPath).includes('1'), 1)
  leave(socket)
}

const stagedNames = (dataPath: string) =>
  readdirSync(join(dataPath, 'tmp'), { recursive: true }).map((path) => basename(String(path)))
