import type { Failure, Folder as FolderView } from '../../src/client/types.ts'
import { type FileView, type Holdfast, refusalOf, upload } from './holdfast.ts'
import { MULTIPART, multipartBody, type RawPart } from './multipart.ts'

export type { Failure, FolderView }

/** Creates an API client that sends the headers of `sender`: an API key or a session cookie. */
export function apiOf(holdfast: Pick<Holdfast, 'fetch'>, sender: { withKey: Record<string, string> }) {
  const send = (method: string, path: string, body?: unknown) =>
    holdfast.fetch(`/api${path}`, {
      method,
      headers: sender.withKey,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  /** Sends a body that is no JSON. */
  const sendBody = (method: string, path: string, body: NonNullable<RequestInit['body']>) =>
    holdfast.fetch(`/api${path}`, { method, headers: sender.withKey, body })

  /** Uploads a form that `FormData` would not send. */
  const sendParts = (...parts: RawPart[]) =>
    holdfast.fetch('/api/files', {
      method: 'POST',
      headers: { ...sender.withKey, ...MULTIPART },
      body: multipartBody(parts),
    })

  /** Returns the `data` of a response that must succeed. */
  async function data<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await send(method, path, body)
    const answer = (await response.json()) as { data: Data; error: { message: string } | null }
    if (response.status !== 200 || answer.error)
      throw new Error(`${method} ${path}: ${response.status} ${answer.error?.message}`)
    return answer.data
  }

  /** Returns status and message of a response that must fail. */
  const refusal = async (method: string, path: string, body?: unknown) =>
    refusalOf(await send(method, path, body))

  function query(parameters: Record<string, string | number>): string {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) search.set(name, String(value))
    return search.toString()
  }

  return {
    get headers() {
      return sender.withKey
    },
    send,
    sendBody,
    sendParts,
    data,
    status: async (method: string, path: string, body?: unknown) => (await send(method, path, body)).status,
    refusal,
    /** Uploads one file. Returns its description in the response. */
    upload: (
      name: string,
      content: string | Uint8Array<ArrayBuffer>,
      folder = '',
      visibility?: FileView['visibility'],
    ) => upload(holdfast, sender.withKey, { name, content, folder, visibility }),
    /** Replaces the bytes of a file. */
    replace: (id: string, body: NonNullable<RequestInit['body']>) =>
      sendBody('PUT', `/files/content?id=${id}`, body),
    list: async (parameters: Record<string, string | number> = {}) =>
      (await data<{ files: FileView[] }>('GET', `/files?${query(parameters)}`)).files,
    file: async (id: string) => (await data<{ file: FileView }>('GET', `/files?id=${id}`)).file,
    browse: (parameters: Record<string, string | number> = {}) =>
      data<{ files: FileView[]; folders: FolderView[] }>('GET', `/folders?${query(parameters)}`),
    /** Signs a link to a file. Its URL is relative to the base URL. */
    sign: (id: string, expiresIn?: number) =>
      data<{ url: string; expiresAt: string }>('POST', '/files/sign', { id, expiresIn }),
    createFolder: async (folder: string) =>
      (await data<{ folder: FolderView }>('POST', '/folders', { folder })).folder,
    /** Returns the SHA-256 of every file below a folder, by object key. */
    checksums: async (folder: string): Promise<Record<string, string>> => {
      const { files } = await data<{ files: { key: string; sha256: string }[] }>(
        'GET',
        `/folders/checksums?${query({ key: folder })}`,
      )
      return Object.fromEntries(files.map(({ key, sha256 }) => [key, sha256]))
    },
    /** Requests an object key's hosting URL as a visitor. Returns its text, or the status of a failure. */
    hosted: async (key: string) => {
      const response = await holdfast.fetch(
        `/api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`,
      )
      const text = await response.text()
      return response.status === 200 ? text : response.status
    },
  }
}

export type Api = ReturnType<typeof apiOf>
