import type { Catalog, ReadableCatalog } from '../../catalog/catalog.ts'
import type { Work } from '../../catalog/engine/query.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import type { Volume } from '../../volume/volume.ts'
import { heldName } from '../held.ts'
import { type FileProblem, orUnreadable } from './verify.ts'
import { verifyTrash } from './verify-trash.ts'
import { verifyVersions } from './verify-versions.ts'

/** Record of a version, or in the trash, without its bytes. */
export interface HeldDrop {
  kind: 'drop version' | 'drop trashed file' | 'drop trashed folder'
  id: string
}

type HeldChange = { key: string } & (HeldDrop | { kind: 'leave'; why: string })

interface PlanOptions {
  catalog: Pick<ReadableCatalog, 'trash' | 'versions' | 'intents' | 'read'>
  volume: Volume
  /** Only true reads every file. */
  deep: boolean | 'changed'
}

/** Items in memory at once. */
const PAGE_ITEMS = 1000

/** Yields the versions and the items of the trash whose bytes are missing, and those that are damaged. */
export async function* planHeld({ catalog, volume, deep }: PlanOptions): AsyncGenerator<HeldChange> {
  const options = { catalog, volume, deep: deep === true }
  for await (const { key, problem, id } of verifyVersions(options))
    if (problem !== 'not in the catalog')
      yield await change({ key, problem, drop: { kind: 'drop version', id } }, () => volume.versions.has(id))
  for await (const difference of verifyTrash(options)) {
    const { key, problem } = difference
    if (!('file' in difference) || problem === 'not in the catalog') continue
    const { file, path } = difference
    const drop = { kind: 'drop trashed file' as const, id: file.id }
    yield await change({ key, problem, drop }, () => path !== undefined && isThere(volume, path))
  }
  for (const item of await missingFolders({ catalog, volume }))
    yield { key: `trash/${heldName(item)}`, kind: 'drop trashed folder', id: item.id }
}

interface Problem {
  key: string
  problem: FileProblem
  drop: HeldDrop
}

/** Drops only what is gone: something that cannot be opened may be the bytes. */
async function change({ key, problem, drop }: Problem, isThere: () => boolean): Promise<HeldChange> {
  const isGone = problem === 'bytes are missing' && (await orUnreadable(attempt(isThere))) === false
  if (isGone) return { key, ...drop }
  return { key, kind: 'leave', why: problem === 'bytes are missing' ? 'cannot be read' : problem }
}

const attempt = async <Value>(work: () => Value): Promise<Value> => work()

const isThere = (volume: Volume, path: string) => volume.trash.identify(path) !== undefined

async function missingFolders({ catalog, volume }: Omit<PlanOptions, 'deep'>): Promise<TrashRow[]> {
  const missing: TrashRow[] = []
  for (let offset = 0; ; offset += PAGE_ITEMS) {
    const page = await catalog.trash.page({ limit: PAGE_ITEMS, offset })
    for (const item of page) {
      const found =
        item.kind === 'file' || (await orUnreadable(attempt(() => isThere(volume, heldName(item)))))
      if (found === false) missing.push(item)
    }
    if (page.length < PAGE_ITEMS) return missing
  }
}

/** Removes the empty folders of the trash that outlived their items. */
export async function tidyTrash({ catalog, volume }: Pick<PlanOptions, 'catalog' | 'volume'>): Promise<void> {
  for (const entry of volume.trash.entries())
    if (
      !(await catalog.trash.hasEntry(entry)) &&
      (await orUnreadable(volume.trash.list(entry)))?.length === 0
    )
      await volume.trash.tidy(entry)
}

/**
 * Removes a record without bytes. The versions of a file in the trash stay for their days, as those of a file in the
 * tree do.
 */
export function* dropHeld({ trash, versions }: Catalog, { kind, id }: HeldDrop): Work<void> {
  if (kind === 'drop version') return yield* versions.remove([id])
  if (kind === 'drop trashed folder') return yield* trash.removeItem(id)
  const file = yield* trash.file(id)
  if (!file) return
  const item = yield* trash.byId(file.trashId)
  yield* trash.removeFiles([id])
  if (item?.kind === 'file') yield* trash.remove(item.id)
  else yield* trash.add(file.trashId, { count: -1, size: -file.size })
}
