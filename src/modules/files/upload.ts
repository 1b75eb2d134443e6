import type { Caller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import type { Part } from '../../multipart/multipart.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { joinKey, parseFolderKey } from '../../platform/names.ts'
import { admissionOf, whileArriving } from '../../reception/arriving.ts'
import { mayStoreLess, readOnConflict, readVisibility, storeReceived } from '../../reception/conflicts.ts'
import { boundaryOf, MAX_PART_HEADER_BYTES, receiveForm, type SentFile } from '../../reception/form.ts'
import {
  declaredLength,
  receiveLimits,
  receivingFolder,
  recordFailure,
  withStaging,
} from '../../reception/receive.ts'
import { type FileView, fileView } from '../../views/files.ts'

/** Maximum form fields of an upload beside its files. */
const MAX_FIELDS = 100
const MAX_FIELD_BYTES = 16 * 1024

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
 * @throws {Refusal} `invalid`, `conflict`, `too-large`, `no-space`.
 */
export function uploadFiles(deps: TreeContext, caller: Caller, request: Request): Promise<Uploaded> {
  const fields = new Fields()
  let files: readonly SentFile[] = []
  const names = () => files.map(({ name }) => name)
  return recordFailure(deps, { caller, names }, async () => {
    const boundary = boundaryOf(request)
    const length = declaredLength(request)
    assertPossible(deps, length)
    return withStaging(deps, length, async (staging) => {
      const limits = receiveLimits(deps)
      // Replaced files count no longer, as far as is known of them.
      const freed = () => (mayStoreLess(fields.get('onConflict')) ? Number.POSITIVE_INFINITY : 0)
      files = await whileArriving(deps, { length, ...admissionOf(deps, caller, freed) }, (arriving) =>
        receiveForm(deps, {
          request,
          boundary,
          maxFields: MAX_FIELDS,
          readField: (part) => fields.read(part),
          receive: async (_, body, before) => {
            assertOneMore(deps, before)
            // The fields before the first file are known then.
            if (before.length === 0) await assertReceivable(deps, caller, { request, fields })
            return staging.receive(arriving.through(body), limits)
          },
        }),
      )
      await staging.sync()
      return publish(deps, caller, { files, fields })
    })
  })
}

function assertOneMore({ config }: TreeContext, before: readonly SentFile[]): void {
  if (before.length >= config.maxFilesPerUpload)
    throw new Refusal('too-many', `An upload may have at most ${config.maxFilesPerUpload} files`)
}

/**
 * Refuses a body for a folder where its caller may not upload, and one that its account has no room for, unless it may
 * leave out or replace files.
 */
async function assertReceivable(
  deps: TreeContext,
  caller: Caller,
  { request, fields }: { request: Request; fields: Fields },
): Promise<void> {
  const { config, store } = deps
  if (!store.reach.isEverything && fields.get('folder') !== undefined) await targetOf(deps, fields)
  const bytes = declaredLength(request) - overheadOf(config)
  if (bytes <= 0 || mayStoreLess(fields.get('onConflict'))) return
  await store.quotas.assertRoom({ userId: caller.user.id, bytes })
}

/** Refuses a body of a length that no allowed set of files could have. */
function assertPossible({ config, store }: TreeContext, length: number): void {
  const { maxUploadBytes } = store.settings.current()
  if (length > maxUploadBytes * config.maxFilesPerUpload + overheadOf(config)) {
    throw new Refusal(
      'too-large',
      `The files are larger than the maximum upload size of ${maxUploadBytes} bytes each`,
    )
  }
}

/** Returns the maximum bytes of a body beside its files. */
const overheadOf = ({ maxFilesPerUpload }: TreeContext['config']) =>
  (maxFilesPerUpload + MAX_FIELDS) * MAX_PART_HEADER_BYTES

/** Fields of a form; of a field sent twice the last one counts. */
class Fields {
  readonly #values = new Map<string, string>()
  #count = 0

  get(name: string): string | undefined {
    return this.#values.get(name)
  }

  async read({ name, body }: Part): Promise<void> {
    this.#count += 1
    if (this.#count > MAX_FIELDS)
      throw new Refusal('too-many', `An upload may have at most ${MAX_FIELDS} fields beside its files`)
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > MAX_FIELD_BYTES) throw refuseInvalid(`The field "${name}" is too long`)
      chunks.push(chunk)
    }
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
      this.#values.set(name, text)
    } catch {
      throw refuseInvalid(`The field "${name}" must be UTF-8`)
    }
  }
}

function assertNoTwins(files: readonly SentFile[]): void {
  const names = new Set<string>()
  for (const { name } of files) {
    if (names.has(name)) throw refuseInvalid(`The file name "${name}" is sent twice`)
    names.add(name)
  }
}

/** Reads where the files go, and their visibility. @throws {Refusal} `invalid`, and as `receivingFolder`. */
async function targetOf(deps: TreeContext, fields: Fields) {
  const named = parseFolderKey(fields.get('folder') ?? '')
  const visibility = readVisibility(fields.get('visibility'))
  return { folder: await receivingFolder(deps, named, visibility), visibility }
}

interface Received {
  files: readonly SentFile[]
  fields: Fields
}

async function publish(deps: TreeContext, caller: Caller, { files, fields }: Received): Promise<Uploaded> {
  if (files.length === 0) throw refuseInvalid('The upload has no file')
  const { folder, visibility } = await targetOf(deps, fields)
  const onConflict = readOnConflict(fields.get('onConflict'))
  if (onConflict === 'fail') assertNoTwins(files)
  const sent = files.map((file) => ({ ...file, folder, label: file.name }))
  const received = { folders: [folder], files: sent, visibility }
  const { files: rows, skipped } = await storeReceived(deps, caller, { received, onConflict })
  const key = folder.join('/')
  const stored = rows.map((row) => fileView(row, joinKey(key, row.name)))
  return { files: stored, ...(onConflict === 'skip' && { skipped }) }
}
