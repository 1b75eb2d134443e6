import type { Connection } from './connection.ts'
import { errorOf, unanswered } from './error.ts'
import type { Progress } from './types.ts'

/** What this uses of a browser's class, so that the types of browsers need not be those of the program. */
declare class XMLHttpRequest {
  readonly status: number
  readonly responseText: string
  readonly upload: { onprogress: (event: { loaded: number; total: number }) => void }
  withCredentials: boolean
  onload: () => void
  onerror: () => void
  onabort: () => void
  open(method: string, address: string): void
  setRequestHeader(name: string, value: string): void
  send(body: FormData | Blob): void
  abort(): void
}

/** In browsers the files of forms are streamed by themselves, and only `XMLHttpRequest` tells the progress. */
export const isBrowser = () => typeof XMLHttpRequest === 'function'

export interface Watched {
  body: FormData | Blob
  onProgress: (progress: Progress) => void
  signal: AbortSignal | undefined
}

/** Sends a body from a browser. @returns The answer's `data`. @throws {HoldfastError} */
export function sendWatched<Data>(connection: Connection, path: string, watched: Watched): Promise<Data> {
  const { body, onProgress, signal } = watched
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const credentials = connection.credentials()
    request.open('POST', connection.address(path))
    request.withCredentials = !('API-Key' in credentials)
    for (const [name, value] of Object.entries(credentials)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total })
    request.onload = () => {
      const { status, responseText } = request
      if (status === 200) resolve((JSON.parse(responseText) as { data: Data }).data)
      else reject(errorOf(status, responseText))
    }
    request.onerror = () => reject(unanswered(connection.url, undefined))
    request.onabort = () => reject(signal?.reason)
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    if (signal?.aborted) reject(signal.reason)
    else request.send(body)
  })
}
