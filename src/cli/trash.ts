import type { HoldfastClient, TrashItem } from '../client/index.ts'
import { connect } from './account.ts'
import { Failure } from './failure.ts'
import { type Remote, tidy } from './remote.ts'

/** Maximum files and folders in one request. */
const MAX_ITEMS = 5000
/** Items of the trash in one request. */
const PAGE = 1000

/** File or folder to delete. */
interface Deleted {
  id: string
  key: string
}

/** Options of the commands that delete. */
export interface DeleteOptions {
  /** True to delete permanently instead of moving to the trash. */
  permanent: boolean
}

/**
 * Moves files and folders to the trash, or deletes them permanently.
 *
 * @throws {Failure} for the first that cannot be deleted; others may be gone by then.
 */
export async function discard(
  client: HoldfastClient,
  { files, folders = [] }: { files: readonly Deleted[]; folders?: readonly Deleted[] },
  { permanent }: DeleteOptions,
): Promise<void> {
  const items = [...files, ...folders]
  const ofFolders = new Set(folders)
  const remove = permanent ? client.items.delete : client.trash.put
  for (let first = 0; first < items.length; first += MAX_ITEMS) {
    const some = Map.groupBy(items.slice(first, first + MAX_ITEMS), (item) => ofFolders.has(item))
    const idsOf = (isFolder: boolean) => some.get(isFolder)?.map(({ id }) => id) ?? []
    const { failed } = await remove({ fileIds: idsOf(false), folderIds: idsOf(true) })
    const [refused] = failed
    const key = items.find(({ id }) => id === refused?.id)?.key
    if (refused) throw new Failure(`"${key}" cannot be deleted: ${refused.message}`)
  }
}

/** Returns true if `discard` deletes permanently, because the caller asks for it or the trash is off. */
export const isPermanent = async (client: HoldfastClient, { permanent }: DeleteOptions): Promise<boolean> =>
  permanent || (await client.trash.list({ limit: 0 })).trashDays === 0

/** Prints the deleted files and folders that can be restored, the latest first: `trash ls`. */
export async function listTrash(
  { environment, terminal }: Remote,
  { json }: { json: boolean },
): Promise<number> {
  for await (const item of itemsOf(connect(environment))) {
    const { deletedAt, kind, key } = item
    await (json
      ? terminal.printJson(item)
      : terminal.print(`${deletedAt}  ${kind === 'folder' ? `${key}/` : key}`))
  }
  return 0
}

/** Returns files and folders from the trash to their places, and prints where they are: `trash restore <keys...>`. */
export async function restore({ environment, terminal }: Remote, keys: readonly string[]): Promise<number> {
  const client = connect(environment)
  const wanted = new Map(keys.map((key) => [tidy(key), key]))
  const found: TrashItem[] = []
  for await (const item of itemsOf(client))
    if (wanted.delete(item.key) || wanted.delete(item.id)) found.push(item)
  // All keys are resolved first, so that a typo restores nothing.
  for (const key of wanted.values()) throw new Failure(`The trash has no "${key}"`)
  const { restored, failed } = await client.trash.restore(found.map(({ id }) => id))
  for (const { key } of restored) await terminal.print(key)
  for (const { id, message } of failed)
    terminal.warn(`holdfast: ${found.find((item) => item.id === id)?.key}: ${message}`)
  return failed.length === 0 ? 0 : 1
}

/** Yields the items of the trash, the latest first. */
export async function* itemsOf(client: HoldfastClient): AsyncGenerator<TrashItem> {
  for (let offset = 0; ; ) {
    const { items, total } = await client.trash.list({ offset, limit: PAGE })
    yield* items
    offset += items.length
    if (items.length === 0 || offset >= total) return
  }
}
