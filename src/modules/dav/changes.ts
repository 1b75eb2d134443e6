import { assertStillAllowed } from '../../access/caller.ts'
import { removeItems } from '../../access/removal.ts'
import { leavingOf } from '../../http/exchange.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { isAtOrBelow } from '../../platform/names.ts'
import { declaredLength, replaceBy } from '../../reception/receive.ts'
import type { FolderRow, Work } from '../../store/rows.ts'
import { purgeUnlessKept } from '../../store/trash/purge.ts'
import { refuseRight } from '../../store/tree.ts'
import type { Asked } from './context.ts'
import { type Locks, removeLocks } from './locks.ts'
import { readDepth } from './propfind.ts'
import {
  type FileResource,
  type FolderResource,
  findPlace,
  isDavPath,
  namesOf,
  type Place,
  type Resource,
  refuseHere,
  requireResource,
} from './resource.ts'

const created = () => new Response(null, { status: 201, headers: { 'Content-Length': '0' } })
const noContent = () => new Response(null, { status: 204 })

/** File or folder that can be changed. */
type Movable = FileResource | (FolderResource & { row: FolderRow })

/** Returns a resource that can be deleted or moved. @throws {Refusal} `root-folder`, `right-missing`. */
function movable(found: Resource): Movable {
  if (found.kind === 'file') return found
  if (found.row === undefined) throw refuseRight('write')
  if (found.row.parentId === null) throw new Refusal('root-folder', undefined, { status: 403 })
  return { ...found, row: found.row }
}

/** Asserts that no lock of another client is in the way of a change. @throws {Locked} */
export const assertOpen = (
  { locks, caller, tokens }: Asked,
  names: readonly string[],
  what: Parameters<Locks['assertOpen']>[2],
): void => locks.assertOpen(names.join('/'), { userId: caller.user.id, tokens }, what)

/** Creates a folder (RFC 4918 §9.3). */
export async function makeFolder(asked: Asked): Promise<Response> {
  const { deps, caller, request, names } = asked
  if (declaredLength(request) > 0 || request.headers.has('transfer-encoding'))
    throw new Refusal('unsupported-media-type', 'A folder has no content: send no body')
  const { taken, folder, name } = await deps.store.read(() => findPlace(deps, names))
  if (taken) throw refuseHere(`A ${taken.kind} is in this place`)
  assertOpen(asked, names, 'existence')
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  await changes.createFolder([...folder, name])
  return created()
}

/** Moves a file or folder to the trash. */
export async function remove(asked: Asked): Promise<Response> {
  const { deps, names } = asked
  const found = movable(await deps.store.read(() => requireResource(deps, names)))
  assertOpen(asked, names, 'existence')
  const { keep } = await setAside(asked, found)
  await removeLocks(deps, asked.locks.below(found.key))
  await keep()
  return noContent()
}

/** Moves a file or folder to the trash. `undo` brings it back, `keep` leaves it there. */
async function setAside({ deps, caller }: Asked, { kind, row }: Movable) {
  const { id, name } = row
  const selected = { ids: [id], folders: new Set(kind === 'folder' ? [id] : []) }
  const { refusal } = await removeItems(deps, caller, selected, {
    outcome: 'trashed',
    work: ({ trashFile, trashFolder }) => (kind === 'folder' ? trashFolder : trashFile)(id, caller.user.id),
  })
  if (refusal) throw refusal
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return { keep: () => purgeUnlessKept(deps, [{ id, name }]), undo: () => changes.restore(id) }
}

interface Transfer {
  source: Movable
  place: Place
}

/** Reads what a COPY or MOVE is about. @throws {Refusal} `not-found`, `conflict`, `precondition-failed`, `forbidden`. */
async function readTransfer(asked: Asked): Promise<Transfer> {
  const { deps, request, names } = asked
  const destination = namesOf(destinationOf(deps, request))
  const { source, place } = await deps.store.read(function* () {
    const source = movable(yield* requireResource(deps, names))
    return { source, place: yield* findPlace(deps, destination) }
  })
  const [from, to] = [names.join('/'), destination.join('/')]
  if (isAtOrBelow(to, from) || isAtOrBelow(from, to))
    throw new Refusal('forbidden', 'One of the two places is in the other')
  if (place.taken && request.headers.get('overwrite')?.trim().toUpperCase() === 'F')
    throw new Refusal('precondition-failed', 'Something is at the destination')
  assertOpen(asked, destination, 'existence')
  return { source, place }
}

/** Returns the path of the header `Destination`. @throws {Refusal} `invalid`; `forbidden` with 502 for another server. */
function destinationOf({ origins }: Asked['deps'], request: Request): string {
  const sent = request.headers.get('destination') ?? ''
  const isPath = /^\/(?!\/)/.test(sent)
  if (!isPath && !URL.canParse(sent)) throw refuseInvalid('"Destination" must be the URL of the new place')
  const url = new URL(sent, request.url)
  if ((isPath || origins.isOwnHost(request, url)) && isDavPath(url.pathname)) return url.pathname
  throw new Refusal('forbidden', 'The destination is not on this server', { status: 502 })
}

/**
 * Runs a change whose destination must be free: what is there goes to the trash, and comes back when the change fails.
 * Two of a kind may have a change of one transaction instead.
 */
async function overwriting(
  asked: Asked,
  { source, place }: Transfer,
  change: () => Promise<unknown>,
  replace: Partial<Record<Movable['kind'], (id: string) => Promise<unknown>>>,
): Promise<Response> {
  if (!place.taken) {
    await change()
    return created()
  }
  const taken = movable(place.taken)
  const atOnce = taken.kind === source.kind ? replace[taken.kind] : undefined
  if (atOnce) {
    await atOnce(taken.row.id)
    return noContent()
  }
  const { keep, undo } = await setAside(asked, taken)
  try {
    await change()
  } catch (error) {
    await undo()
    throw error
  }
  await keep()
  return noContent()
}

/**
 * Moves and renames a file or folder in one change (RFC 4918 §9.9). Over a file, the bytes move: the file there keeps its id,
 * and its earlier bytes are a version.
 */
export async function move(asked: Asked): Promise<Response> {
  const { deps, works, caller, locks, names } = asked
  const transfer = await readTransfer(asked)
  const { source, place } = transfer
  assertOpen(asked, names, 'existence')
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  const destination = { folderId: place.parent.id }
  const { id } = source.row
  const moved = await overwriting(
    asked,
    transfer,
    () =>
      source.kind === 'file'
        ? changes.moveFile(id, destination, place.name)
        : changes.moveFolder(id, destination, place.name),
    {
      folder: (replaces) => works.replaceFolder(deps, caller, { id, replaces }),
      file: (replaces) => {
        const alongside = () => giveProperties(deps, id, replaces)
        return replaceBy(deps, caller, { id: replaces, movedId: id, alongside })
      },
    },
  )
  await removeLocks(deps, locks.below(source.key))
  return moved
}

/** Copies a file, or a folder with all or nothing of what is in it (RFC 4918 §9.8). */
export async function copy(asked: Asked): Promise<Response> {
  const { deps, works, caller, request } = asked
  const depth = readDepth(request.headers, 'infinity')
  const transfer = await readTransfer(asked)
  const { source, place } = transfer
  const { parent, folder, name } = place
  const { id } = source.row
  const make = async () => {
    if (source.kind === 'folder' && depth === '0') {
      const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
      return (await changes.createFolder([...folder, name])).row
    }
    const item = { id, kind: source.kind, name, destination: { folderId: parent.id } }
    return works.copyAs(deps, caller, item, leavingOf(request))
  }
  const copyKept = (itemId: string) => deps.store.transact(() => giveProperties(deps, id, itemId))
  return overwriting(asked, transfer, async () => copyKept((await make()).id), {
    file: async (replaces) => {
      await works.copyOver(deps, caller, { id, replaces }, leavingOf(request))
      await copyKept(replaces)
    },
  })
}

/** Makes the properties of a file or folder those of another one, too. */
function* giveProperties({ store }: Asked['deps'], from: string, itemId: string): Work<void> {
  const rows = yield* store.davItems.of([from, itemId])
  const kept = rows.find((row) => row.itemId === from) ?? { modifiedAt: null, sha256: null, properties: {} }
  if (rows.length > 0) yield* store.davItems.put({ ...kept, itemId })
}
