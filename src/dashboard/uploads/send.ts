import { RESUMABLE_BYTES } from '../../client/index.ts'
import { ApiError, messageIn } from '../api/client.ts'
import { pace } from '../bulk/pace.ts'
import { sleep } from '../bulk/sleep.ts'
import { texts } from '../texts.ts'
import { sendLarge } from './large.ts'

export interface Sending {
  files: File[]
  /** The key of the folder they go to; missing folders are made. */
  folder: string
  signal: AbortSignal
  /** Told how many bytes of the files have left. */
  onProgress: (bytes: number) => void
  /** Told that nothing is sent for a while, after which it is tried again. */
  onRetry: () => void
}

/**
 * Uploads files in one request: all of them arrive, or none. When the server asks for a pause, they are sent
 * again after that.
 *
 * @throws {ApiError}
 */
export async function sendFiles(sending: Sending): Promise<void> {
  const [first, ...others] = sending.files
  if (first && others.length === 0 && first.size > RESUMABLE_BYTES) return sendLarge(first, sending)
  for (;;) {
    await takeTurn(sending)
    const pause = await attempt(sending)
    if (pause === undefined) return
    pace.slowDown()
    sending.onProgress(0)
    await wait(pause * 1000, sending)
  }
}

async function takeTurn(sending: Sending): Promise<void> {
  for (let ms = pace.take(); ms > 0; ms = pace.take()) await wait(ms, sending)
}

async function wait(ms: number, { onRetry, signal }: Sending): Promise<void> {
  onRetry()
  await sleep(ms, signal)
  signal.throwIfAborted()
}

/** Answers with the seconds to wait when the server has had too many requests. */
function attempt({ files, folder, signal, onProgress }: Sending): Promise<number | undefined> {
  const form = new FormData()
  form.append('folder', folder)
  for (const file of files) form.append('files', file, file.name)
  const size = files.reduce((sum, file) => sum + file.size, 0)
  // Not fetch: it does not tell how much of a body has left.
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) =>
      // The form around the files is counted, too.
      onProgress(Math.round((size * loaded) / Math.max(total, 1)))
    request.onload = () => {
      if (request.status < 300) return resolve(undefined)
      if (request.status === 429) return resolve(Number(request.getResponseHeader('Retry-After')) || 5)
      const message = messageIn(parse(request.responseText)) ?? texts.errors.unexpected
      reject(new ApiError(request.status, message))
    }
    request.onerror = () => reject(new ApiError(0, texts.errors.unreachable))
    request.onabort = () => reject(new DOMException('The upload was canceled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.open('POST', '/api/files')
    request.send(form)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
