import type { Progress } from '../../client/index.ts'
import { client, waitOf } from '../api/client.ts'
import { pace, sleep } from '../bulk/pace.ts'
import { isLarge, type Sending, sendLarge } from './large.ts'

/**
 * Uploads files in one request: all of them, or none. Repeats it after each pause that the server asks for.
 *
 * @throws {HoldfastError}
 */
export async function sendFiles(sending: Sending): Promise<void> {
  const [first, ...others] = sending.files
  if (first && others.length === 0 && isLarge(first)) return sendLarge(first, sending)
  for (;;) {
    await takeTurn(sending)
    sending.onProgress(0)
    const pause = await attempt(sending)
    if (pause === 0) return
    pace.slowDown()
    await wait(pause * 1000, sending)
  }
}

const REPLACE = { onConflict: 'replace' } as const

async function takeTurn(sending: Sending): Promise<void> {
  for (let ms = pace.take(); ms > 0; ms = pace.take()) await wait(ms, sending)
}

async function wait(ms: number, { onRetry, signal }: Sending): Promise<void> {
  onRetry()
  await sleep(ms, signal)
  signal.throwIfAborted()
}

/** Returns 0 after success, or the seconds to wait after a 429. @throws {HoldfastError} */
async function attempt({
  files,
  folder,
  replaces,
  visibility,
  signal,
  onProgress,
}: Sending): Promise<number> {
  const size = files.reduce((sum, file) => sum + file.size, 0)
  const named = files.map((file) => ({ name: file.name, content: file }))
  const [first] = files
  const options = {
    signal,
    // The total includes the form around the files.
    onProgress: ({ loaded, total = 0 }: Progress) =>
      onProgress(Math.round((size * loaded) / Math.max(total, 1))),
  }
  try {
    // A single one is found by its id, also under another name.
    const [id, ...others] = replaces
    if (first && id !== undefined && others.length === 0) await client.files.replace(id, first, options)
    else {
      // A visibility would also change that of the replaced files.
      const rules = id === undefined ? visibility && { visibility } : REPLACE
      await client.files.upload(named, { folder, ...rules, ...options })
    }
    return 0
  } catch (error) {
    const pause = waitOf(error)
    if (pause === 0) throw error
    return pause
  }
}
