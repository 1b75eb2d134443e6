import type { Part } from '../../src/multipart/multipart.ts'
import { readMultipart } from '../../src/multipart/multipart.ts'

export const LIMITS = { maxParts: 10, maxHeaderBytes: 1024 }

/** Part with its whole body, one character a byte. */
export interface ReadPart {
  name: string
  filename: string | undefined
  body: string
}

/** Body as a client sends it, one character a byte, and its parts. */
export interface Sample {
  client: string
  boundary: string
  body: string
  parts: ReadPart[]
}

/** Returns the bytes of `text` in UTF-8, one character a byte. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

export function bytes(latin1: string): Uint8Array {
  return Buffer.from(latin1, 'latin1')
}

/** Returns a well-formed part, delimiter included, for the boundary `bound`. */
export function part(disposition: string, body: string): string {
  return `--bound\r\nContent-Disposition: ${disposition}\r\n\r\n${body}\r\n`
}

/** Cuts `body` before each of the positions. */
export function split(body: string, positions: number[]): Uint8Array[] {
  const cuts = [0, ...positions.toSorted((a, b) => a - b), body.length]
  return cuts.slice(1).map((end, index) => bytes(body.slice(cuts[index], end)))
}

export async function* stream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk
}

export async function readText(body: Part['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

/** Returns the next part of a body that is expected to have one. */
export async function nextPart(parts: AsyncGenerator<Part, void>): Promise<Part> {
  const { value } = await parts.next()
  if (!value) throw new Error('Cannot continue the test: there is no part')
  return value
}

/** Reads every part of a body that is expected to be well formed. */
export async function readAll(
  chunks: Iterable<Uint8Array>,
  boundary: string,
  limits = LIMITS,
): Promise<ReadPart[]> {
  const { parts, error } = await readOutcome(chunks, limits, boundary)
  if (error !== undefined) throw error
  return parts
}

/** Returns the complete parts of a body, and the error if any. */
export async function readOutcome(chunks: Iterable<Uint8Array>, limits = LIMITS, boundary = 'bound') {
  const parts: ReadPart[] = []
  try {
    for await (const { name, filename, body } of readMultipart(stream(chunks), boundary, limits)) {
      parts.push({ name, filename, body: await readText(body) })
    }
  } catch (error) {
    return { parts, error }
  }
  return { parts, error: undefined }
}

export const SAMPLES: Sample[] = [
  {
    client: 'curl',
    boundary: '------------------------25946e66da2c83f0',
    body: utf8(
      '--------------------------25946e66da2c83f0\r\n' +
        'Content-Disposition: form-data; name="folder"\r\n\r\n' +
        'docs\r\n' +
        '--------------------------25946e66da2c83f0\r\n' +
        'Content-Disposition: form-data; name="files"; filename="a%22b é.txt"\r\n' +
        'Content-Type: text/plain\r\n\r\n' +
        'hello\r\n\r\n' +
        '--------------------------25946e66da2c83f0\r\n' +
        'Content-Disposition: form-data; name="files"; filename="empty.bin"\r\n' +
        'Content-Type: application/octet-stream\r\n\r\n\r\n' +
        '--------------------------25946e66da2c83f0--\r\n',
    ),
    parts: [
      { name: 'folder', filename: undefined, body: 'docs' },
      { name: 'files', filename: 'a"b é.txt', body: 'hello\r\n' },
      { name: 'files', filename: 'empty.bin', body: '' },
    ],
  },
  {
    client: 'Chrome',
    boundary: '----WebKitFormBoundary7MA4YWxkTrZu0gW',
    body: utf8(
      '------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n' +
        'Content-Disposition: form-data; name="files"; filename="C:\\fake\\日本 %22x%22.png"\r\n' +
        'Content-Type: image/png\r\n\r\n' +
        '\x89PNG\r\n\x1a\n\0\r\n' +
        '------WebKitFormBoundary7MA4YWxkTrZu0gW\r\n' +
        'Content-Disposition: form-data; name="files"; filename=""\r\n' +
        'Content-Type: application/octet-stream\r\n\r\n\r\n' +
        '------WebKitFormBoundary7MA4YWxkTrZu0gW--\r\n',
    ),
    parts: [
      { name: 'files', filename: 'C:\\fake\\日本 "x".png', body: utf8('\x89PNG\r\n\x1a\n\0') },
      { name: 'files', filename: '', body: '' },
    ],
  },
  {
    client: 'Python requests with filename*',
    boundary: '2a4d54f2cb1db5a99b5c91ba62f81e64',
    body:
      '--2a4d54f2cb1db5a99b5c91ba62f81e64\r\n' +
      'Content-Disposition: form-data; name="files"; filename*=utf-8\'\'%C3%A9%20x.txt\r\n\r\n' +
      'hi\r\n' +
      '--2a4d54f2cb1db5a99b5c91ba62f81e64--\r\n',
    parts: [{ name: 'files', filename: 'é x.txt', body: 'hi' }],
  },
  {
    client: 'undici FormData',
    boundary: '----formdata-undici-009884419156',
    body: utf8(
      '------formdata-undici-009884419156\r\n' +
        'Content-Disposition: form-data; name="folder"\r\n\r\n' +
        'a\r\nb\r\n' +
        '------formdata-undici-009884419156\r\n' +
        'Content-Disposition: form-data; name="files"; filename="é %22q%22\\x.txt"\r\n' +
        'Content-Type: text/plain\r\n\r\n' +
        'hi\r\n\r\n' +
        '------formdata-undici-009884419156--\r\n',
    ),
    parts: [
      { name: 'folder', filename: undefined, body: 'a\r\nb' },
      { name: 'files', filename: 'é "q"\\x.txt', body: 'hi\r\n' },
    ],
  },
  {
    client: 'undici FormData without entries',
    boundary: '----formdata-undici-054629696772',
    body: '------formdata-undici-054629696772--\r\n',
    parts: [],
  },
  {
    client: 'a mail program: preamble, epilogue, padding, folded and other headers',
    boundary: 'b',
    body:
      'This is a message in several parts.\r\nNot a boundary: --b\r\n' +
      '--b \t\r\ncontent-disposition:form-data;\r\n\tname=x ; \r\nX-Other:\r\n\r\n1\r\n' +
      '--b\r\nContent-Transfer-Encoding: binary\r\nCONTENT-DISPOSITION: Form-Data; NAME="y"\r\n\r\n2\r\n' +
      '--b-- \r\nAn epilogue\r\n--b\r\nthat looks like a part',
    parts: [
      { name: 'x', filename: undefined, body: '1' },
      { name: 'y', filename: undefined, body: '2' },
    ],
  },
  {
    client: 'a sender that leaves out the blank line of an empty part and the last line end',
    boundary: 'b',
    body: '--b\r\nContent-Disposition: form-data; name=""\r\n\r\n--b--',
    parts: [{ name: '', filename: undefined, body: '' }],
  },
  {
    client: 'a sender of bytes that almost are boundaries',
    boundary: 'bound',
    body: `${part('form-data; name="files"; filename="x"', '\r\n--boun\r\n--bounc\r\r\n--\r\n-\r\n\r\n--b\r--bound--\n')}--bound--`,
    parts: [
      { name: 'files', filename: 'x', body: '\r\n--boun\r\n--bounc\r\r\n--\r\n-\r\n\r\n--b\r--bound--\n' },
    ],
  },
]
