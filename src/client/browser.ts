import type { Ask, Connection } from './connection.ts'
import { errorOf, unanswered } from './error.ts'
import type { TransferOptions } from './types.ts'

/** Members of a browser's class, declared here so that programs need no types of browsers. */
declare class XMLHttpRequest {
  readonly status: number
  readonly responseText: string
  readonly upload: { onprogress: (event: { loaded: number; total: number }) => void }
  withCredentials: boolean
  onload: () => void
  onerror: () => void
  onabort: () => void
  onloadend: () => void
  open(method: string, address: string): void
  setRequestHeader(name: string, value: string): void
  send(body: Blob): void
  abort(): void
  getResponseHeader(name: string): string | null
}

/** True in a browser, where blobs stream their files and only `XMLHttpRequest` reports the progress of an upload. */
export const isBrowser = () => typeof XMLHttpRequest === 'function'

export interface Watched extends TransferOptions {
  method: 'POST' | 'PUT' | 'PATCH'
  query?: Ask['query']
  body: Blob
  headers?: Record<string, string>
}

/** Sends a body from a browser and reports progress. @returns The response's text. @throws {HoldfastError} */
export function sendWatched(connection: Connection, path: string, watched: Watched): Promise<string> {
  const { method, query, body, headers, onProgress, signal } = watched
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const credentials = connection.credentials()
    request.open(method, connection.address(path, query))
    request.withCredentials = connection.cookies === 'include'
    for (const [name, value] of Object.entries({ ...credentials, ...headers }))
      request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress?.({ loaded, total })
    request.onload = () => {
      const { status, responseText } = request
      if (status < 300) resolve(responseText)
      else reject(errorOf(status, responseText, (name) => request.getResponseHeader(name)))
    }
    request.onerror = () => reject(unanswered(connection.url))
    request.onabort = () => reject(signal?.reason)
    const stop = () => request.abort()
    signal?.addEventListener('abort', stop)
    request.onloadend = () => signal?.removeEventListener('abort', stop)
    if (signal?.aborted) reject(signal.reason)
    else request.send(body)
  })
}
