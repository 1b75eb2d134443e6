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

/** Sends a form. @returns The response's `data`. @throws {HoldfastError} */
export async function sendForm<Data>(
  connection: Connection,
  path: string,
  { form, ...options }: { form: Form } & TransferOptions,
): Promise<Data> {
  const boundary = `holdfast-${randomName()}`
  const type = `multipart/form-data; boundary=${boundary}`
  const parts = [...partsOf(form, boundary)]
  if (isBrowser())
    return sendHeld(connection, path, { ...options, method: 'POST', body: await toFormBlob(parts), type })
  const response = await sendRead(connection, path, {
    ...options,
    method: 'POST',
    type,
    contents: form.files.map(({ content }) => content),
    chunks: (reading) => writeForm(parts, reading),
  })
  return connection.dataOf<Data>(response)
}

interface Bytes extends Pick<Ask, 'query' | 'headers'>, TransferOptions {
  method: 'POST' | 'PUT'
  content: Content
  type: string
}

/** Sends one body as it is. @returns The response's `data`. @throws {HoldfastError} */
export async function sendBytes<Data>(
  connection: Connection,
  path: string,
  { content, ...options }: Bytes,
): Promise<Data> {
  if (isBrowser()) return sendHeld(connection, path, { ...options, body: await toBlob(content) })
  const response = await sendRead(connection, path, {
    ...options,
    contents: [content],
    chunks: (reading) => read(content, reading),
  })
  return connection.dataOf<Data>(response)
}

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
  const type = 'application/zip'
  if (isBrowser()) {
    const archive = streamOf(writeArchive(files, { count: () => {} }))
    const body = await new Response(archive).blob()
    return sendHeld(connection, path, { ...options, method: 'POST', type, body })
  }
  const response = await sendRead(connection, path, {
    ...options,
    type,
    method: 'POST',
    contents: files.map(({ content }) => content),
    chunks: (reading) => writeArchive(files, reading),
  })
  return connection.dataOf<Data>(response)
}

/** Sends the next chunk of a resumable upload. @throws {HoldfastError} */
export async function sendPiece(
  connection: Connection,
  path: string,
  { piece, ...options }: { piece: Blob; type: string; headers: Record<string, string> } & TransferOptions,
): Promise<void> {
  if (isBrowser()) {
    const headers = { ...options.headers, 'Content-Type': options.type }
    await sendWatched(connection, path, { ...options, method: 'PATCH', body: piece, headers })
    return
  }
  await sendRead(connection, path, {
    ...options,
    method: 'PATCH',
    contents: [piece],
    chunks: (reading) => read(piece, reading),
  })
}

interface Held extends Pick<Ask, 'query' | 'headers'>, TransferOptions {
  method: 'POST' | 'PUT'
  body: Blob
  type: string
}

/** Sends a blob from a browser, which streams the files that the blob refers to. */
async function sendHeld<Data>(
  connection: Connection,
  path: string,
  { body, type, onProgress, ...ask }: Held,
): Promise<Data> {
  if (onProgress) {
    const headers = { ...ask.headers, 'Content-Type': type }
    const text = await sendWatched(connection, path, { ...ask, body, headers, onProgress })
    return dataIn<Data>(text, connection.url)
  }
  return connection.data<Data>(path, { ...ask, body: { type, open: () => body, once: false } })
}

/** Returns the form as one blob that refers to its files. Browsers read them while they send. */
async function toFormBlob(parts: readonly Part[]): Promise<Blob> {
  const pieces = parts.map((part) => ('text' in part ? part.text : toBlob(part.content)))
  return new Blob(await Promise.all(pieces))
}

const toBlob = (content: Content): Blob | Promise<Blob> =>
  content instanceof Blob ? content : new Response(isSource(content) ? content.stream() : content).blob()

interface Read extends Pick<Ask, 'method' | 'query' | 'headers'>, TransferOptions {
  type: string
  contents: readonly Content[]
  /** Opens the bytes to send, once per attempt. */
  chunks: (reading: Reading) => AsyncGenerator<Uint8Array>
}

/** Sends content while it is read. @throws {HoldfastError} or the content's own error. */
async function sendRead(
  connection: Connection,
  path: string,
  { type, contents, chunks, onProgress, ...ask }: Read,
): Promise<Response> {
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
    return await connection.send(path, { ...ask, body: { type, open, once } })
  } catch (error) {
    throw reading.failure ? reading.failure.error : error
  }
}

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
