import type { Caller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { MultipartError, TooManyPartsError } from '../../multipart/error.ts'
import { multipartBoundary } from '../../multipart/header.ts'
import { type Part, readMultipart } from '../../multipart/multipart.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { assertName, joinKey, parseFolderKey } from '../../platform/names.ts'
import { mayStoreLess, readOnConflict, readVisibility, storeReceived } from '../../reception/conflicts.ts'
import {
  bodyOf,
  declaredLength,
  lastComponent,
  receiveLimits,
  recordFailure,
  withStaging,
} from '../../reception/receive.ts'
import type { StagedFile, Staging } from '../../store/bytes.ts'
import { type FileView, fileView } from '../../views/files.ts'

/** Maximum form fields of an upload beside its files. */
const MAX_FIELDS = 100
const MAX_FIELD_BYTES = 16 * 1024
const MAX_PART_HEADER_BYTES = 16 * 1024

/** Received part of an upload. */
interface Received {
  files: { name: string; staged: StagedFile }[]
  /** Fields of the form; of a field sent twice the last one counts. */
  fields: Map<string, string>
  /** True when the body was read completely. */
  complete: boolean
}

/** Result of an upload. */
interface Uploaded {
  /** Files in the order in which they were sent. */
  files: FileView[]
  /** Names that were left out, when the upload asks for that. */
  skipped?: string[]
}

/**
 * Receives an upload: every file streams into staging, and when the whole body has arrived they are published
 * together, or none. The outcome is recorded in the caller's history.
 *
 * @throws {Refusal} `invalid`, `conflict`, `too_large`, `no_space`.
 */
export function uploadFiles(deps: Context, caller: Caller, request: Request): Promise<Uploaded> {
  const received: Received = { files: [], fields: new Map(), complete: false }
  const names = () => (received.complete ? received.files.map(({ name }) => name) : [])
  return recordFailure(deps, { caller, names, toRefusal }, async () => {
    const boundary = multipartBoundary(request.headers.get('content-type'))
    assertPossible(deps, declaredLength(request))
    return withStaging(deps, declaredLength(request), async (staging) => {
      const assertQuota = () => assertRoom(deps, caller, { request, fields: received.fields })
      await receiveParts(deps, { staging, received, assertQuota, parts: readParts(deps, request, boundary) })
      await staging.sync()
      return publish(deps, caller, received)
    })
  })
}

/** Refuses a body that its account has no room for, unless it may leave out or replace files. */
async function assertRoom(
  { config, store }: Context,
  caller: Caller,
  { request, fields }: { request: Request; fields: Received['fields'] },
): Promise<void> {
  const bytes = declaredLength(request) - overheadOf(config)
  if (bytes <= 0 || mayStoreLess(fields.get('onConflict'))) return
  await store.quotas.assertRoom({ userId: caller.user.id, bytes })
}

/** Refuses a body of a length that no allowed set of files could have. */
function assertPossible({ config, store }: Context, length: number): void {
  const { maxUploadBytes } = store.settings.current()
  if (length > maxUploadBytes * config.maxFilesPerUpload + overheadOf(config)) {
    throw new Refusal(
      'too_large',
      `The files are larger than the maximum upload size of ${maxUploadBytes} bytes each`,
    )
  }
}

/** Returns the maximum bytes of a body beside its files. */
const overheadOf = ({ maxFilesPerUpload }: Context['config']) =>
  (maxFilesPerUpload + MAX_FIELDS) * MAX_PART_HEADER_BYTES

function readParts({ config }: Context, request: Request, boundary: string): AsyncIterable<Part> {
  const limits = { maxParts: config.maxFilesPerUpload + MAX_FIELDS, maxHeaderBytes: MAX_PART_HEADER_BYTES }
  return readMultipart(bodyOf(request), boundary, limits)
}

interface Receiving {
  staging: Staging
  received: Received
  parts: AsyncIterable<Part>
  /** Refuses the files before the first one arrives. The fields before it are known then. */
  assertQuota: () => Promise<void>
}

async function receiveParts(
  deps: Context,
  { staging, received, parts, assertQuota }: Receiving,
): Promise<void> {
  const limits = receiveLimits(deps)
  let fieldCount = 0
  for await (const part of parts) {
    if (part.filename === undefined) {
      fieldCount += 1
      if (fieldCount > MAX_FIELDS)
        throw new Refusal('too_large', `An upload may have at most ${MAX_FIELDS} fields beside its files`)
      received.fields.set(part.name, await readField(part))
      continue
    }
    const name = lastComponent(part.filename)
    assertName(name, 'The file name')
    if (received.files.some((file) => file.name === name))
      throw refuseInvalid(`The file name "${name}" is sent twice`)
    if (received.files.length >= deps.config.maxFilesPerUpload) throw tooManyFiles(deps)
    if (received.files.length === 0) await assertQuota()
    received.files.push({ name, staged: await staging.receive(part.body, limits) })
  }
  received.complete = true
}

const tooManyFiles = ({ config }: Pick<Context, 'config'>) =>
  new Refusal('too_large', `An upload may have at most ${config.maxFilesPerUpload} files`)

async function readField({ name, body }: Part): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_FIELD_BYTES) throw refuseInvalid(`The field "${name}" is too long`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw refuseInvalid(`The field "${name}" must be UTF-8`)
  }
}

async function publish(deps: Context, caller: Caller, { files, fields }: Received): Promise<Uploaded> {
  if (files.length === 0) throw refuseInvalid('The upload has no file')
  const folder = parseFolderKey(fields.get('folder') ?? '')
  const visibility = readVisibility(fields.get('visibility'))
  const onConflict = readOnConflict(fields.get('onConflict'))
  const sent = files.map((file) => ({ ...file, folder, label: file.name }))
  const received = { folders: [folder], files: sent, visibility }
  const { files: rows, skipped } = await storeReceived(deps, caller, { received, onConflict })
  const key = folder.join('/')
  const stored = rows.map((row) => fileView(row, joinKey(key, row.name)))
  return { files: stored, ...(onConflict === 'skip' && { skipped }) }
}

/** Converts an error to a refusal in terms of the request. */
function toRefusal(error: unknown): unknown {
  if (error instanceof TooManyPartsError) return new Refusal('too_large', error.message)
  if (error instanceof MultipartError) return refuseInvalid(error.message)
  return error
}
