import { crc32 } from 'node:zlib'
import { Signer } from '../../src/s3/signature.ts'
import { basic } from '../support/dav.ts'
import { registerWith } from '../support/process.ts'
import type { S3Keys } from '../support/s3.ts'
import { type Caller, callApi, folderId } from './api.ts'
import { type Bench, inTurns, type Part, settle } from './bench.ts'
import { GiB, type Row, showThroughput } from './report.ts'
import { receiveResponse, sendRequest, uploadRequest } from './send.ts'
import { pattern } from './workspace.ts'

const ROUNDS = 5
const FOLDER = 'uploaded'
const NAME = '0.bin'
const STREAMING = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'

interface Way {
  name: string
  /** Returns a request in pieces. */
  request: () => Buffer[]
}

/** Large bodies by S3 and WebDAV beside the form and the download of hosting, over the same bytes. */
export const protocols: Part = {
  measure: async (bench) => {
    await using holdfast = await bench.spawn(`${bench.folder}/protocols`)
    const { cookie, withKey } = await registerWith(holdfast)
    const caller = { holdfast, withKey, signal: bench.signal }
    const signer = new Signer({ ...(await s3KeysOf(holdfast, cookie)), region: 'auto' })
    const ways = { holdfast, signer, withKey, credentials: basic(withKey['API-Key']) }
    const uploads = await inTurns(ROUNDS, [
      uploading(bench, caller, { name: 'form', request: () => uploadRequest(caller.withKey, FORM) }),
      ...putsOf(ways).map((way) => uploading(bench, caller, way)),
    ])
    await sendRequest(holdfast.port, uploadRequest(caller.withKey, { ...FORM, folder: 'hosted' }))
    const gets = getsOf(ways)
    const downloads = await inTurns(
      ROUNDS,
      gets.map((way) => downloading(holdfast.port, way)),
    )
    return [
      ...rowsOf('PUT of 1 GiB', 'the form', { ways: putsOf(ways), rates: uploads }),
      ...rowsOf('GET of 1 GiB', 'hosting', { ways: gets.slice(1), rates: downloads }),
    ]
  },
}

async function s3KeysOf(holdfast: Bench['holdfast'], cookie: string): Promise<S3Keys> {
  const body = JSON.stringify({ name: 's3', scopes: ['files:read', 'files:write'] })
  const response = await holdfast.fetch('/api/keys', { method: 'POST', body, headers: { Cookie: cookie } })
  return ((await response.json()) as { data: { s3: S3Keys } }).data.s3
}

const FORM = { folder: FOLDER, names: [NAME], size: GiB }

function rowsOf(
  what: string,
  against: string,
  { ways, rates: [peer = [], ...rates] }: { ways: readonly Way[]; rates: number[][] },
): Row[] {
  return ways.map(({ name }, index) => ({
    what: `${what} by ${name}`,
    ...{ against, ours: rates[index] ?? [], peer, target: 0.9, show: showThroughput },
  }))
}

function uploading(bench: Bench, caller: Caller, { request }: Way) {
  return async () => {
    await callApi(caller, 'POST', '/folders', { folder: FOLDER })
    const pieces = request()
    const begin = performance.now()
    await sendRequest(caller.holdfast.port, pieces)
    const took = performance.now() - begin
    await callApi(caller, 'DELETE', '/folders', { id: await folderId(caller, FOLDER) })
    await settle(bench.folder, bench.signal)
    return (GiB * 1000) / took
  }
}

const downloading =
  (port: number, { request }: Way) =>
  async () => {
    const pieces = request()
    const begin = performance.now()
    const bytes = await receiveResponse(port, pieces)
    if (bytes < GiB) throw new Error(`A download had ${bytes} bytes`)
    return (bytes * 1000) / (performance.now() - begin)
  }

interface Ways {
  holdfast: Bench['holdfast']
  withKey: Bench['withKey']
  signer: Signer
  credentials: Record<string, string>
}

function putsOf({ holdfast: { url }, signer, credentials }: Ways): Way[] {
  const signed = (payloadSha256: string, headers: Record<string, string>) =>
    signer.sign({
      ...{ method: 'PUT', url: new URL(`${url}/${FOLDER}/${NAME}`), headers, payloadSha256, now: Date.now() },
    })
  const whole = () => [...pattern(GiB)]
  return [
    {
      name: 'S3, unsigned payload',
      request: () =>
        requestOf(new URL(url), `PUT /${FOLDER}/${NAME}`, signed('UNSIGNED-PAYLOAD', {}), whole()),
    },
    {
      name: 'S3, chunks with a CRC-32',
      request: () => {
        const body = [...chunked()]
        const headers = {
          ...{ 'content-encoding': 'aws-chunked', 'x-amz-trailer': 'x-amz-checksum-crc32' },
          'x-amz-decoded-content-length': String(GiB),
        }
        return requestOf(new URL(url), `PUT /${FOLDER}/${NAME}`, signed(STREAMING, headers), body)
      },
    },
    {
      name: 'WebDAV',
      request: () => requestOf(new URL(url), `PUT /dav/${FOLDER}/${NAME}`, credentials, whole()),
    },
  ]
}

/** Yields the bytes as `aws-chunked`, with their checksum in the trailer. */
function* chunked(): Generator<Buffer> {
  let sum = 0
  for (const block of pattern(GiB)) {
    sum = crc32(block, sum)
    yield Buffer.from(`${block.length.toString(16)}\r\n`)
    yield block
    yield Buffer.from('\r\n')
  }
  const checksum = Buffer.from(sum.toString(16).padStart(8, '0'), 'hex').toString('base64')
  yield Buffer.from(`0\r\nx-amz-checksum-crc32:${checksum}\r\n\r\n`)
}

function getsOf({ holdfast: { url }, signer, withKey, credentials }: Ways): Way[] {
  const signed = () =>
    signer.sign({
      ...{ method: 'GET', url: new URL(`${url}/hosted/${NAME}`), headers: {}, now: Date.now() },
      payloadSha256: 'UNSIGNED-PAYLOAD',
    })
  return [
    { name: 'hosting', request: () => requestOf(new URL(url), `GET /api/hosting/hosted/${NAME}`, withKey) },
    { name: 'S3', request: () => requestOf(new URL(url), `GET /hosted/${NAME}`, signed()) },
    { name: 'WebDAV', request: () => requestOf(new URL(url), `GET /dav/hosted/${NAME}`, credentials) },
  ]
}

function requestOf(
  { host }: URL,
  line: string,
  headers: Record<string, string>,
  body: readonly Buffer[] = [],
): Buffer[] {
  const length = body.reduce((sum, { length }) => sum + length, 0)
  const all = {
    Host: host,
    ...headers,
    ...(length > 0 && { 'Content-Length': String(length) }),
    Connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [Buffer.from([`${line} HTTP/1.1`, ...lines, '\r\n'].join('\r\n')), ...body]
}
