import { isForbidden, messageFor } from '../platform/errors.ts'
import { describeNames } from '../platform/names.ts'
import type { TrashRow } from '../store/rows.ts'
import { type BatchOutcome, forEachId, type Selected } from './batch.ts'
import { assertStillAllowed, type Caller } from './caller.ts'
import type { TreeContext } from './context.ts'
import { type ActivityType, recordDelete } from './history.ts'

type Kind = TrashRow['kind']
type Item = Pick<TrashRow, 'id' | 'kind' | 'name'>
type Changes = ReturnType<TreeContext['store']['changes']>

interface Removal {
  /** Word of the entries in the history. */
  outcome: 'trashed' | 'deleted'
  work: (changes: Changes, id: string, kind: Kind) => Promise<Item>
}

/**
 * Removes each file and folder separately, and records the outcome in the caller's history.
 *
 * @throws {Refusal} `not-found` when none of them exist.
 */
export async function removeItems(
  deps: TreeContext,
  caller: Caller,
  { ids, folders }: Selected,
  { outcome, work }: Removal,
): Promise<BatchOutcome<Item>> {
  try {
    deps.store.assertPresent()
    const authorize = () => assertStillAllowed(deps, caller, 'files:delete')
    const changes = deps.store.changes(authorize)
    const removed = await forEachId(deps, ids, {
      authorize,
      work: (id) => work(changes, id, folders.has(id) ? 'folder' : 'file'),
    })
    for (const kind of KINDS)
      await recordItems(deps, caller, { type: `${kind}.${outcome}`, names: namesOf(removed.done, kind) })
    await recordFailures(deps, caller, { failed: removed.failed, folders })
    return removed
  } catch (error) {
    const message = messageFor(error)
    if (!isForbidden(error))
      await recordFailures(deps, caller, { failed: ids.map((id) => ({ id, message })), folders })
    throw error
  }
}

export const KINDS = ['file', 'folder'] as const

/** Returns the names of the items of one kind. */
export const namesOf = (items: readonly { kind: Kind; name: string }[], kind: Kind) =>
  items.filter((item) => item.kind === kind).map(({ name }) => name)

/** Adds an entry to the caller's history, unless there is nothing to name. */
export async function recordItems(
  deps: TreeContext,
  caller: Caller,
  { type, names }: { type: ActivityType; names: readonly string[] },
): Promise<void> {
  if (names.length === 0) return
  const { target, detail } = describeNames(names)
  const counted = names.length > 1 && type.startsWith('folder') ? `${names.length} folders` : target
  await recordDelete(deps, { userId: caller.user.id, type, target: counted, detail })
}

/** Records ids that stay where they are, in one entry for files and one for folders. */
async function recordFailures(
  deps: TreeContext,
  caller: Caller,
  { failed, folders }: Pick<Selected, 'folders'> & Pick<BatchOutcome<Item>, 'failed'>,
): Promise<void> {
  for (const kind of KINDS) {
    const some = failed.filter(({ id }) => folders.has(id) === (kind === 'folder'))
    const [first] = some
    if (!first) continue
    const only = some.length > 1 ? undefined : await nameOf(deps, first.id, kind)
    await recordDelete(deps, {
      userId: caller.user.id,
      type: `${kind}.delete-failed`,
      target: some.length > 1 ? `${some.length} ${kind}s` : (only ?? null),
      detail: first.message,
    })
  }
}

/** Returns the name of a file or folder in the tree; `undefined` when there is none. */
const nameOf = ({ store }: TreeContext, id: string, kind: Kind): Promise<string | undefined> =>
  store.read(function* () {
    return (kind === 'file' ? yield* store.files.byId(id) : yield* store.folders.byId(id))?.name
  })
