import { isBrowser, sendWatched } from './browser.ts'
import type { Ask, Connection } from './connection.ts'
import { encode, isSource, type Reading, read, sizeOf, streamOf } from './content.ts'
import { dataIn, HoldfastError } from './error.ts'
import type { Content, NamedContent, TransferOptions, TreeFile } from './types.ts'

/** A form with files and text fields. */
export interface Form {
  files: readonly NamedContent[]
  fields: Record<string, string | undefined>
}

/** Returns 128 random bits in hex. `randomUUID` is missing in pages without TLS. */
const randomName = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** A body of bytes that are read while they are sent. */
interface Body extends Pick<Ask, 'query' | 'headers'>, TransferOptions {
  method: 'POST' | 'PUT' | 'PATCH'
  type: string
  contents: readonly Content[]
  /** Opens the bytes to send, once per attempt. */
  chunks: (reading: Reading) => AsyncGenerator<Uint8Array>
  /** Returns the body for browsers, which cannot send a stream, but stream the files that a blob refers to. */
  blob: () => Blob | Promise<Blob>
}

/** Sends a form. @returns The response's `data`. @throws {HoldfastError} */
export async function sendForm<Data>(
  connection: Connection,
  path: string,
  { form, ...options }: { form: Form } & TransferOptions,
): Promise<Data> {
  const boundary = `holdfast-${randomName()}`
  const parts = [...partsOf(form, boundary)]
  return dataOf(connection, path, {
    ...options,
    method: 'POST',
    type: `multipart/form-data; boundary=${boundary}`,
    contents: form.files.map(({ content }) => content),
    chunks: (reading) => writeForm(parts, reading),
    blob: () => toFormBlob(parts),
  })
}

type Bytes = Omit<Body, 'contents' | 'chunks' | 'blob'> & { content: Content }

const bodyOf = ({ content, ...options }: Bytes): Body => ({
  ...options,
  contents: [content],
  chunks: (reading) => read(content, reading),
  blob: () => toBlob(content),
})

/** Sends one body as it is. @returns The response's `data`. @throws {HoldfastError} */
export const sendBytes = <Data>(connection: Connection, path: string, bytes: Bytes): Promise<Data> =>
  dataOf(connection, path, bodyOf(bytes))

/** Sends the next chunk of a resumable upload. @throws {HoldfastError} */
export const sendPiece = (connection: Connection, path: string, piece: Omit<Bytes, 'method'>) =>
  send(connection, path, bodyOf({ ...piece, method: 'PATCH' }))

/**
 * Sends files as one archive. Browsers cannot stream it, so they build it in a blob first.
 *
 * @returns The response's `data`.
 * @throws {HoldfastError}
 */
export async function sendTree<Data>(
  connection: Connection,
  path: string,
  { files, ...options }: { files: readonly TreeFile[]; query: Ask['query'] } & TransferOptions,
): Promise<Data> {
  const { writeArchive } = await import('./archive.ts')
  return dataOf(connection, path, {
    ...options,
    method: 'POST',
    type: 'application/zip',
    contents: files.map(({ content }) => content),
    chunks: (reading) => writeArchive(files, reading),
    blob: () => new Response(streamOf(writeArchive(files, { count: () => {} }))).blob(),
  })
}

const dataOf = async <Data>(connection: Connection, path: string, body: Body): Promise<Data> =>
  dataIn<Data>(await send(connection, path, body), connection.url)

/** Sends a body. @returns The response's text. @throws {HoldfastError} or the content's own error. */
async function send(
  connection: Connection,
  path: string,
  { type, contents, chunks, blob, onProgress, ...ask }: Body,
): Promise<string> {
  const sendBody = async (body: NonNullable<Ask['body']>) =>
    connection.textOf(await connection.send(path, { ...ask, body }), ask.signal)
  if (isBrowser()) {
    const body = await blob()
    if (!onProgress) return sendBody({ type, open: () => body, once: false })
    const headers = { ...ask.headers, 'Content-Type': type }
    return sendWatched(connection, path, { ...ask, body, headers, onProgress })
  }
  const total = sum(contents.map(sizeOf))
  let loaded = 0
  const reading: Reading = {
    count: (bytes) => {
      loaded += bytes
      onProgress?.({ loaded, total })
    },
  }
  const open = () => {
    loaded = 0
    return streamOf(chunks(reading))
  }
  const once = contents.some((content) => content instanceof ReadableStream)
  try {
    return await sendBody({ type, open, once })
  } catch (error) {
    throw reading.failure ? reading.failure.error : error
  }
}

/** Returns the form as one blob that refers to its files. Browsers read them while they send. */
async function toFormBlob(parts: readonly Part[]): Promise<Blob> {
  const pieces = parts.map((part) => ('text' in part ? part.text : toBlob(part.content)))
  return new Blob(await Promise.all(pieces))
}

const toBlob = (content: Content): Blob | Promise<Blob> =>
  content instanceof Blob ? content : new Response(isSource(content) ? content.stream() : content).blob()

/** A section of a form's body: delimiters and fields as text, or the content of a file. */
type Part = { text: string } | { content: Content }

/** Yields the sections of a form's body (RFC 7578). */
function* partsOf({ files, fields }: Form, boundary: string): Generator<Part> {
  const head = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) yield { text: `${head(name)}${value}\r\n` }
  for (const { name, content } of files) {
    yield { text: head('files', filenameOf(name)) }
    yield { content }
    yield { text: '\r\n' }
  }
  yield { text: `--${boundary}--\r\n` }
}

async function* writeForm(parts: readonly Part[], reading: Reading): AsyncGenerator<Uint8Array> {
  for (const part of parts)
    if ('text' in part) yield encode(part.text)
    else yield* read(part.content, reading)
}

/** Characters that a server reads as part of a path, or that no encoding has. */
const NOT_SENDABLE = /[/\\]|\p{Surrogate}/u

/**
 * Returns the parameters that carry a file's exact name (RFC 8187). A plain `filename` cannot: browsers write `%22`
 * for a quote.
 *
 * @throws {HoldfastError} when the server would store another name.
 */
function filenameOf(name: string): string {
  if (NOT_SENDABLE.test(name))
    throw new HoldfastError(`The name "${name}" must not contain "/", "\\" or lone surrogates`, {
      status: 400,
    })
  const plain = name.replaceAll(/[^0-9A-Za-z._-]/g, '_')
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (character) => `%${hex(character)}`)
  return `; filename="${plain}"; filename*=UTF-8''${exact}`
}

const hex = (character: string) => character.charCodeAt(0).toString(16).toUpperCase()

const sum = (sizes: readonly (number | undefined)[]) =>
  sizes.reduce((all, size) => (all === undefined || size === undefined ? undefined : all + size), 0)
