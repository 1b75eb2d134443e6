import type { Caller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import { allowsChange } from '../../http/conditional.ts'
import { fileValidators } from '../../http/file-response.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { receiveBody } from '../../reception/body.ts'
import { readDigests } from '../../reception/digests.ts'
import { replaceBy } from '../../reception/receive.ts'
import { type FileState, type StagedFile, stateOf } from '../../store/bytes.ts'
import type { FileRow } from '../../store/rows.ts'
import { type FileView, keyOfFile, requireFile, viewAt } from '../../views/files.ts'

/** File with new bytes, and their entity tag. */
interface Replaced {
  file: FileView
  etag: string
}

/**
 * Replaces the bytes of a file by the body of a request. The caller's history records the outcome as for an upload.
 *
 * @throws {Refusal} `not-found`, `precondition-failed`, `invalid` when the body has other digests than promised,
 *   `too-large`, `no-space`, `conflict`.
 */
export async function replaceContent(
  deps: TreeContext,
  caller: Caller,
  { id, request }: { id: string; request: Request },
): Promise<Replaced> {
  const { headers } = request
  const digests = readDigests(headers)
  const file = await admitEarly(deps, id, headers)
  return receiveBody(
    deps,
    caller,
    { request, name: file.name, freed: file.size, admit: async () => digests },
    (staged) => publishReplacement(deps, caller, { id, staged, headers }),
  )
}

/** Refuses a request before its body arrives, and returns the file. */
async function admitEarly(deps: TreeContext, id: string, headers: Headers): Promise<FileRow> {
  if (headers.has('content-range'))
    throw refuseInvalid('A part of a file cannot be replaced: send all of it, without "Content-Range"')
  const { file, key } = await deps.store.read(function* () {
    const file = yield* requireFile(deps, { id })
    yield* deps.store.assertRight(file.folderId, 'write')
    return { file, key: yield* keyOfFile(deps, file) }
  })
  assertAllowed(deps, headers, deps.store.stateOf({ ...file, key }))
  return file
}

interface Received {
  id: string
  staged: StagedFile
  /** Headers with the preconditions. */
  headers: Headers
}

async function publishReplacement(deps: TreeContext, caller: Caller, received: Received): Promise<Replaced> {
  const { id, staged, headers } = received
  const admit = (present: FileState | undefined) => assertAllowed(deps, headers, present)
  const replaced = await replaceBy(deps, caller, { id, staged, admit })
  const { etag } = fileValidators({ ...stateOf(staged), now: deps.clock.now() })
  return { file: viewAt(replaced), etag }
}

/** @throws {Refusal} `precondition-failed` for missing bytes, too: a client with an ETag expects some. */
function assertAllowed({ clock }: TreeContext, headers: Headers, present: FileState | undefined): void {
  const now = clock.now()
  const isAllowed = present
    ? allowsChange(headers, fileValidators({ ...present, now }), now)
    : !headers.has('if-match')
  if (!isAllowed) throw new Refusal('precondition-failed')
}
