import { openSocket } from '../../support/socket.ts'

/** Sends a stream of requests, ends it, and returns the statuses of all responses. */
export async function exchange(port: number, stream: string): Promise<number[]> {
  const socket = await openSocket(port)
  const chunks: Buffer[] = []
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.end(Buffer.from(stream, 'latin1'))
  await closed
  const statusLines = Buffer.concat(chunks)
    .toString('latin1')
    .matchAll(/^HTTP\/1\.1 (\d{3}) /gm)
  return [...statusLines].map(([, status]) => Number(status))
}
