import type { Failure as Failed, HoldfastClient, TrashItem } from '../client/index.ts'
import { Failure } from './failure.ts'
import { type Remote, tidy } from './remote.ts'

/** Maximum ids in one request, the server's default limit. */
const MAX_IDS = 500
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
  { files = [], folders = [] }: { files?: readonly Deleted[]; folders?: readonly Deleted[] },
  { permanent }: DeleteOptions,
): Promise<void> {
  const { trash } = client
  await inBatches(files, (ids) => (permanent ? client.files.deleteAll(ids) : trash.put({ fileIds: ids })))
  if (permanent) for (const { id } of folders) await client.folders.delete(id)
  else await inBatches(folders, (ids) => trash.put({ folderIds: ids }))
}

async function inBatches(
  items: readonly Deleted[],
  work: (ids: string[]) => Promise<{ failed: Failed[] }>,
): Promise<void> {
  for (let index = 0; index < items.length; index += MAX_IDS) {
    const { failed } = await work(items.slice(index, index + MAX_IDS).map(({ id }) => id))
    const [first] = failed
    const key = items.find(({ id }) => id === first?.id)?.key
    if (first) throw new Failure(`"${key}" cannot be deleted: ${first.message}`)
  }
}

/** Prints the deleted files and folders that can be restored, the latest first: `trash ls`. */
export async function listTrash(
  { client: connect, terminal }: Remote,
  { json }: { json: boolean },
): Promise<number> {
  for await (const item of itemsOf(connect())) {
    const { deletedAt, kind, key } = item
    await (json
      ? terminal.printJson(item)
      : terminal.print(`${deletedAt}  ${kind === 'folder' ? `${key}/` : key}`))
  }
  return 0
}

/** Returns files and folders from the trash to their places, and prints where they are: `trash restore <keys...>`. */
export async function restore(
  { client: connect, terminal }: Remote,
  keys: readonly string[],
): Promise<number> {
  const client = connect()
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
