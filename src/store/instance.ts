import type { ReadableCatalog } from '../catalog/catalog.ts'
import { FILLING } from '../catalog/instance/settings.ts'
import { StartError } from '../platform/errors.ts'
import type { TreeDeps } from './tree.ts'

/** Ids that an instance has from its first start on. */
interface InstanceIds {
  volumeId: string
  /** Id of the root folder. */
  rootId: string
}

/** Creates the rows of every instance, unless they are there: the root folder and the id of its volume. */
export async function prepareInstance({
  catalog,
  clock,
  random,
}: Pick<TreeDeps, 'clock' | 'random'> & {
  catalog: Pick<TreeDeps['catalog'], 'instance' | 'folders' | 'transact'>
}): Promise<InstanceIds> {
  const now = clock.now()
  return catalog.transact(function* () {
    let volumeId = yield* catalog.instance.get('volumeId')
    if (volumeId === undefined) {
      volumeId = random.id()
      yield* catalog.instance.set('volumeId', volumeId)
    }
    if (!(yield* catalog.folders.hasRoot()))
      yield* catalog.folders.insert([
        {
          id: random.id(),
          parentId: null,
          name: 'files',
          madeForKeys: false,
          createdAt: now,
          updatedAt: now,
        },
      ])
    return { volumeId, rootId: yield* catalog.folders.root() }
  })
}

/** Name of the fact that says to which data folder the rows of a shared database were moved. */
const MOVED_TO = 'movedTo'

/** @throws {StartError} when the instance is in a data folder now, or has not all of its rows. */
export async function assertInPlace({ instance }: Pick<ReadableCatalog, 'instance'>): Promise<void> {
  if ((await instance.get(FILLING)) !== undefined)
    throw new StartError(
      'The database in PostgreSQL is incomplete, because "restore" or "move-to" did not end: run it again, or start on an ' +
        'empty database.',
    )
  const place = await instance.get(MOVED_TO)
  if (place !== undefined)
    throw new StartError(
      `This instance was moved to "${place}". To use it here nevertheless, without what changed there since, run ` +
        `DELETE FROM instance WHERE name = '${MOVED_TO}'.`,
    )
}

/** Records that the instance of a shared database is in a data folder now. */
export const markMovedAway = (
  { instance, transact }: Pick<TreeDeps['catalog'], 'instance' | 'transact'>,
  place: string,
): Promise<void> => transact(() => instance.set(MOVED_TO, place))

/** Name of the fact that says which object store has the bytes; empty for the data folder. */
const OBJECT_STORE = 'objectStore'

/**
 * Asserts that the bytes of an instance are still sought where they are. An instance without files may change its place.
 *
 * @param name Name of the object store; `undefined` when bytes are files in the data folder.
 * @throws {StartError} when they are elsewhere.
 */
export async function assertSamePlace(
  catalog: Pick<TreeDeps['catalog'], 'files' | 'instance' | 'trash'>,
  name: string | undefined,
): Promise<void> {
  const known = (await catalog.instance.get(OBJECT_STORE)) || undefined
  if (known === name) return
  if (!(await catalog.files.any()) && (await catalog.trash.total()).count === 0) return
  if (known !== undefined)
    throw new StartError(
      `The bytes of all files are in the object store "${known}"${name === undefined ? '' : `, not in "${name}"`}. ` +
        'Set S3_ENDPOINT, S3_BUCKET and S3_PREFIX as they were. Nothing was changed.',
    )
  throw new StartError(
    'The bytes of all files are in the data folder, so no object store can be used for them: unset S3_ENDPOINT, or ' +
      'start on a new data folder. Nothing was changed.',
  )
}

/** Records where the bytes are, once that place has been opened. */
export async function recordPlace(catalog: TreeDeps['catalog'], name = ''): Promise<void> {
  if (((await catalog.instance.get(OBJECT_STORE)) ?? '') !== name)
    await catalog.transact(() => catalog.instance.set(OBJECT_STORE, name))
}

/** Returns the name of the object store that has the bytes of an instance; `undefined` for its data folder. */
export const objectStoreNameOf = async ({
  instance,
}: Pick<ReadableCatalog, 'instance'>): Promise<string | undefined> =>
  (await instance.get(OBJECT_STORE)) || undefined

/** @throws {StartError} when the bytes of an instance are in an object store that is not configured. */
export async function assertOnDisk(catalog: Pick<ReadableCatalog, 'instance'>): Promise<void> {
  const known = await objectStoreNameOf(catalog)
  if (known !== undefined)
    throw new StartError(
      `The bytes of all files are in the object store "${known}", which the variables S3_… do not name. Nothing was changed.`,
    )
}
