import type { Caller } from '../../access/caller.ts'
import { fileValidators } from '../../http/file-response.ts'
import { isRefused, Refusal } from '../../platform/errors.ts'
import { receiveBody } from '../../reception/body.ts'
import { isFree, publishReceived, replaceBy } from '../../reception/receive.ts'
import { type StagedFile, stateOf } from '../../store/bytes.ts'
import type { Asked } from './context.ts'
import { shownOf } from './properties.ts'
import { keepTime } from './proppatch.ts'
import { findPlace, findResource, type Place, refuseHere } from './resource.ts'

/** Stores the body as a file: as the next version of one that exists, else as a new one. */
export async function put(asked: Asked): Promise<Response> {
  const { deps, works, caller, locks, request, names, tokens } = asked
  const place = await deps.store.read(() => findPlace(deps, names))
  if (place.taken?.kind === 'folder') throw refuseHere('A folder is in this place')
  locks.assertOpen(names.join('/'), { userId: caller.user.id, tokens }, place.taken ? 'content' : 'existence')
  if (place.taken) {
    const shown = await shownOf(deps, place.taken)
    const { etag } = await works.replaceContent(deps, caller, { id: place.taken.row.id, request, shown })
    return new Response(null, { status: 204, headers: { ETag: etag, ...(await keepTime(asked)) } })
  }
  // A client with a tag expects a file (RFC 9110 §13.1.1).
  if (request.headers.has('if-match')) throw new Refusal('precondition-failed')
  const etag = await storeNew(deps, caller, { ...place, request })
  return new Response(null, {
    status: 201,
    headers: { ETag: etag, 'Content-Length': '0', ...(await keepTime(asked)) },
  })
}

type NewFile = Pick<Place, 'folder' | 'name'> & { request: Request }

/** Stores a new file, and records the outcome in the caller's history. Returns its entity tag. */
export function storeNew(
  deps: Asked['deps'],
  caller: Caller,
  { folder, name, request }: NewFile,
): Promise<string> {
  const admit = async () => {
    await isFree(deps, { folder, name })
    return name
  }
  return receiveBody(deps, caller, { request, admit }, async (staged) => {
    await publish(deps, caller, { folder, name, request, staged })
    return fileValidators({ ...stateOf(staged), now: deps.clock.now() }).etag
  })
}

/** Publishes a staged file. One that another request has stored there meanwhile is replaced, as by a PUT after it. */
async function publish(
  deps: Asked['deps'],
  caller: Caller,
  { folder, name, request, staged }: NewFile & { staged: StagedFile },
): Promise<void> {
  try {
    await publishReceived(deps, caller, {
      folders: [folder],
      files: [{ folder, name, staged, label: name }],
      visibility: undefined,
    })
  } catch (error) {
    const taken = isRefused(error, 409)
      ? await deps.store.read(() => findResource(deps, [...folder, name]))
      : undefined
    if (taken?.kind !== 'file') throw error
    if (request.headers.has('if-none-match')) throw new Refusal('precondition-failed')
    await replaceBy(deps, caller, { id: taken.row.id, staged })
  }
}
