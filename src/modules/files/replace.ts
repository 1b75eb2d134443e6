import type { Caller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import { allowsChange, type Validators } from '../../http/conditional.ts'
import { fileValidators } from '../../http/file-response.ts'
import { Refusal } from '../../platform/errors.ts'
import { receiveBody } from '../../reception/body.ts'
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
 * @param replacement.shown Time that the client is shown for a state of the file.
 */
export async function replaceContent(
  deps: TreeContext,
  caller: Caller,
  { id, request, shown }: { id: string; request: Request; shown?: Validators | undefined },
): Promise<Replaced> {
  const { headers } = request
  const { name, size } = await admitEarly(deps, id, { headers, shown })
  return receiveBody(deps, caller, { request, freed: size, admit: async () => name }, (staged) =>
    publishReplacement(deps, caller, { id, staged, headers, shown }),
  )
}

/** Preconditions of a request, and the time that its client is shown. */
interface Asked {
  headers: Headers
  shown: Validators | undefined
}

/** Refuses a request before its body arrives, and returns the file. */
async function admitEarly(deps: TreeContext, id: string, asked: Asked): Promise<FileRow> {
  const { file, key } = await deps.store.read(function* () {
    const file = yield* requireFile(deps, { id })
    yield* deps.store.assertRight(file.folderId, 'write')
    return { file, key: yield* keyOfFile(deps, file) }
  })
  assertAllowed(deps, asked, deps.store.stateOf({ ...file, key }))
  return file
}

interface Received extends Asked {
  id: string
  staged: StagedFile
}

async function publishReplacement(deps: TreeContext, caller: Caller, received: Received): Promise<Replaced> {
  const { id, staged } = received
  const admit = (present: FileState | undefined) => assertAllowed(deps, received, present)
  const replaced = await replaceBy(deps, caller, { id, staged, admit })
  const { etag } = fileValidators({ ...stateOf(staged), now: deps.clock.now() })
  return { file: viewAt(replaced), etag }
}

/** @throws {Refusal} `precondition-failed` for missing bytes, too: a client with an ETag expects some. */
function assertAllowed(
  { clock }: TreeContext,
  { headers, shown }: Asked,
  present: FileState | undefined,
): void {
  const now = clock.now()
  const isAllowed = present
    ? allowsChange(headers, fileValidators({ ...present, now, shown }), now)
    : !headers.has('if-match')
  if (!isAllowed) throw new Refusal('precondition-failed')
}
