import { createHash } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import type { S3Location } from '../../src/s3/connection.ts'

/** Misbehaviour of the store for one request. */
export type Fault =
  /** No response at all. */
  | 'stall'
  /** A stall after the head and half of the body. */
  | 'stall in the body'
  /** The body byte by byte, with pauses. */
  | 'drip the body'
  /** A close after half of the body. */
  | 'cut the body'
  /** A close before the request is executed. */
  | 'hang up'
  /** A close without a response after the request is executed. */
  | 'lose the response'
  /** A complete response to a range request. */
  | 'send the whole object'
  /** A shorter range than requested, with its true `Content-Range`. */
  | 'send a shorter range'
  /** Half of the body that the head announces. */
  | 'send fewer bytes'
  | { status: number; code?: string; headers?: Record<string, string>; body?: string }

export interface SeenRequest {
  method: string
  /** Decoded object key; empty for the bucket. */
  key: string
  query: URLSearchParams
  headers: Headers
  body: Buffer
}

interface Stored {
  bytes: Buffer
  etag: string
  modifiedAt: number
}

interface Reply {
  status: number
  headers?: Record<string, string>
  body?: Buffer | string
}

const BUCKET = 'bucket'

/** S3 store in memory behind a real socket, with faults on request. It checks hashes of bodies, not signatures. */
export class S3Store {
  readonly objects = new Map<string, Stored>()
  readonly uploads = new Map<string, { key: string; parts: Map<number, Stored> }>()
  readonly requests: SeenRequest[] = []
  /** Object keys that cannot be deleted, like those under a legal hold. */
  readonly held = new Set<string>()
  /** Keys of objects that a list leaves out. */
  readonly unlisted = new Set<string>()
  /** Number of objects on a page of a list. */
  pageSize = 1000
  /** Chooses the misbehaviour for a request. */
  fault: (request: SeenRequest) => Fault | undefined = () => undefined
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #port: number
  #uploadCount = 0

  private constructor(server: Server, port: number) {
    this.#server = server
    this.#port = port
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async start(): Promise<S3Store> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return new S3Store(server, address.port)
  }

  get location(): S3Location {
    return {
      endpoint: `http://127.0.0.1:${this.#port}`,
      bucket: BUCKET,
      region: 'here',
      accessKeyId: 'an-access-key',
      secretAccessKey: 'a-secret-key',
      isVirtualHosted: false,
    }
  }

  /** Misbehaves once for each fault, on the next requests that match. */
  misbehave(matches: (request: SeenRequest) => boolean, ...faults: Fault[]): void {
    this.fault = (request) => (matches(request) ? faults.shift() : undefined)
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    let received: Buffer[] = []
    let [length, expected] = [0, 0]
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('data', (chunk) => {
      received.push(Buffer.from(chunk))
      length += chunk.length
      if (length < expected) return
      const all = Buffer.concat(received)
      expected = lengthOf(all)
      if (all.length < expected) return
      received = []
      length = expected = 0
      const request = parseRequest(all)
      this.requests.push(request)
      this.#respond(socket, request)
    })
  }

  #respond(socket: Socket, request: SeenRequest): void {
    const fault = this.fault(request)
    if (fault === 'stall') return
    if (fault === 'hang up') socket.destroy()
    else if (typeof fault === 'object') send(socket, request, replyOf(fault))
    else if (fault === 'send the whole object' || fault === 'send a shorter range')
      send(socket, request, this.#wrongRange(request, fault))
    else {
      const reply = this.#carryOut(request)
      if (fault === 'lose the response') socket.destroy()
      else if (fault === undefined) send(socket, request, reply)
      else if (fault === 'drip the body') void drip(socket, reply)
      else sendHalf(socket, reply, fault)
    }
  }

  #wrongRange({ key, headers }: SeenRequest, fault: Fault): Reply {
    const bytes = this.objects.get(key)?.bytes ?? Buffer.alloc(0)
    if (fault === 'send the whole object') return { status: 200, body: bytes }
    const [, first = '0', last = '0'] = /bytes=(\d+)-(\d+)/.exec(headers.get('range') ?? '') ?? []
    const end = Math.max(Number(first), Number(last) - 1)
    return {
      status: 206,
      headers: { 'content-range': `bytes ${first}-${end}/${bytes.length}` },
      body: bytes.subarray(Number(first), end + 1),
    }
  }

  #carryOut(request: SeenRequest): Reply {
    const { method, key, query, headers, body } = request
    if (headers.get('x-amz-content-sha256') !== createHash('sha256').update(body).digest('hex'))
      return failure(400, 'XAmzContentSHA256Mismatch')
    if (key === '') return method === 'POST' ? this.#removeMany(body) : this.#list(query)
    if (query.has('uploads') || query.has('uploadId')) return this.#multipart(request)
    const stored = this.objects.get(key)
    if (method === 'DELETE') {
      this.objects.delete(key)
      return { status: 204 }
    }
    if (method === 'PUT') return this.#put(request)
    if (!stored) return failure(404, 'NoSuchKey')
    return sendStored(stored, headers.get('range'))
  }

  #put({ key, headers, body }: SeenRequest): Reply {
    if (headers.get('if-none-match') === '*' && this.objects.has(key))
      return failure(412, 'PreconditionFailed')
    const source = this.#sourceOf(headers)
    if (source === 'missing') return failure(404, 'NoSuchKey')
    const stored = store(source ?? body)
    this.objects.set(key, stored)
    if (source)
      return { status: 200, body: `<CopyObjectResult><ETag>${stored.etag}</ETag></CopyObjectResult>` }
    return { status: 200, headers: { etag: stored.etag } }
  }

  #sourceOf(headers: Headers): Buffer | 'missing' | undefined {
    const source = headers.get('x-amz-copy-source')
    if (source === null) return undefined
    const stored = this.objects.get(decodeURIComponent(source).slice(BUCKET.length + 1))
    if (!stored) return 'missing'
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(headers.get('x-amz-copy-source-range') ?? '') ?? []
    return first === undefined ? stored.bytes : stored.bytes.subarray(Number(first), Number(last) + 1)
  }

  #multipart({ method, key, query, headers, body }: SeenRequest): Reply {
    if (query.has('uploads')) {
      const uploadId = `upload-${++this.#uploadCount}`
      this.uploads.set(uploadId, { key, parts: new Map() })
      return {
        status: 200,
        body: `<?xml version="1.0"?><InitiateMultipartUploadResult xmlns="x"><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
      }
    }
    const uploadId = query.get('uploadId') ?? ''
    const upload = this.uploads.get(uploadId)
    if (!upload) return failure(404, 'NoSuchUpload')
    if (method === 'PUT') {
      const source = this.#sourceOf(headers)
      if (source === 'missing') return failure(404, 'NoSuchKey')
      const part = store(source ?? body)
      upload.parts.set(Number(query.get('partNumber')), part)
      if (source) return { status: 200, body: `<CopyPartResult><ETag>${part.etag}</ETag></CopyPartResult>` }
      return { status: 200, headers: { etag: part.etag } }
    }
    if (method === 'GET') {
      const listed = [...upload.parts].map(
        ([number, { bytes, etag }]) =>
          `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag><Size>${bytes.length}</Size></Part>`,
      )
      return { status: 200, body: `<ListPartsResult>${listed.join('')}</ListPartsResult>` }
    }
    this.uploads.delete(uploadId)
    if (method === 'DELETE') return { status: 204 }
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number))
    this.objects.set(
      key,
      store(Buffer.concat(numbers.map((number) => upload.parts.get(number)?.bytes ?? Buffer.alloc(0)))),
    )
    return {
      status: 200,
      body: '<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>',
    }
  }

  #removeMany(body: Buffer): Reply {
    const keys = [...body.toString().matchAll(/<Key>([^<]*)</g)].map(([, key = '']) => key)
    const results = keys.map((key) => {
      if (this.held.has(key)) return `<Error><Key>${key}</Key><Code>AccessDenied</Code></Error>`
      this.objects.delete(key)
      return `<Deleted><Key>${key}</Key></Deleted>`
    })
    return { status: 200, body: `<DeleteResult>${results.join('')}</DeleteResult>` }
  }

  #list(query: URLSearchParams): Reply {
    const prefix = query.get('prefix') ?? ''
    if (query.has('uploads')) {
      const open = [...this.uploads].map(
        ([id, { key }]) =>
          `<Upload><Key>${encodeURIComponent(key)}</Key><UploadId>${id}</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>`,
      )
      return {
        status: 200,
        body: `<ListMultipartUploadsResult><EncodingType>url</EncodingType>${open.join('')}</ListMultipartUploadsResult>`,
      }
    }
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix) && key > after && !this.unlisted.has(key))
      .sort()
    const page = keys.slice(0, this.pageSize)
    const contents = page.map((key) => {
      const { bytes, modifiedAt } = this.objects.get(key) ?? store(Buffer.alloc(0))
      return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${new Date(modifiedAt).toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`
    })
    const more =
      page.length < keys.length
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
        : '<IsTruncated>false</IsTruncated>'
    return {
      status: 200,
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult><EncodingType>url</EncodingType>${more}${contents.join('')}</ListBucketResult>`,
    }
  }
}

const store = (bytes: Buffer): Stored => ({
  bytes: Buffer.from(bytes),
  etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
  modifiedAt: Date.now(),
})

const failure = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>raw words of the store</Message></Error>`,
})

const replyOf = ({ status, code = '', headers = {}, body }: Extract<Fault, object>): Reply => ({
  status,
  headers,
  body: body ?? `<Error><Code>${code}</Code></Error>`,
})

function sendStored({ bytes, etag, modifiedAt }: Stored, range: string | null): Reply {
  const headers = { etag, 'last-modified': new Date(modifiedAt).toUTCString() }
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  if (first === undefined) return { status: 200, headers, body: bytes }
  if (Number(first) >= bytes.length) return failure(416, 'InvalidRange')
  const end = Math.min(Number(last), bytes.length - 1)
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${first}-${end}/${bytes.length}` },
    body: bytes.subarray(Number(first), end + 1),
  }
}

/** Returns the length of the request that begins with `bytes`, as far as its received part shows. */
function lengthOf(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return bytes.length + 1
  const [, length = '0'] = /^content-length: *(\d+)/im.exec(bytes.subarray(0, end).toString('latin1')) ?? []
  return end + 4 + Number(length)
}

function parseRequest(all: Buffer): SeenRequest {
  const end = all.indexOf('\r\n\r\n')
  const [line = '', ...lines] = all.subarray(0, end).toString('latin1').split('\r\n')
  const headers = new Headers(
    lines.map((header): [string, string] => {
      const [name = '', ...value] = header.split(':')
      return [name, value.join(':').trim()]
    }),
  )
  const [method = '', target = ''] = line.split(' ')
  const url = new URL(target, 'http://store')
  const key = decodeURIComponent(url.pathname).slice(1 + BUCKET.length + 1)
  return { method, key, query: url.searchParams, headers, body: all.subarray(end + 4) }
}

function headOf({ status, headers = {} }: Reply, length: number): string {
  const lines = Object.entries({ ...headers, 'content-length': String(length) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`
}

function send(socket: Socket, { method }: SeenRequest, reply: Reply): void {
  const body = Buffer.from(reply.body ?? '')
  socket.write(headOf(reply, body.length))
  if (method !== 'HEAD') socket.write(body)
}

async function drip(socket: Socket, reply: Reply): Promise<void> {
  const body = Buffer.from(reply.body ?? '')
  socket.write(headOf(reply, body.length))
  for (let position = 0; position < body.length && !socket.destroyed; position++) {
    await Bun.sleep(5)
    socket.write(body.subarray(position, position + 1))
  }
}

function sendHalf(socket: Socket, reply: Reply, fault: Fault): void {
  const body = Buffer.from(reply.body ?? '')
  const half = body.subarray(0, body.length / 2)
  socket.write(headOf(reply, fault === 'send fewer bytes' ? half.length : body.length))
  if (fault === 'cut the body') socket.end(half)
  else socket.write(half)
}
