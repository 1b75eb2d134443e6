import { assertConnected } from '../platform/slots.ts'
import { utcDay } from '../platform/time.ts'
import type { FileList, FileRow, Query, Snapshot, TotalQueries, Work } from '../store/rows.ts'
import type { InstanceSettings } from '../store/settings.ts'
import type { Store, TreeCore } from '../store/store.ts'
import { foldersFrom } from './folders.ts'

/** Totals of everything in the tree. */
export type TreeTotals = Omit<TotalQueries, 'inFolders' | 'below'>

/** Tree at one moment, without folders being deleted and their contents. */
export interface TreeAtOnce {
  totals: TreeTotals
  settings: Readonly<InstanceSettings>
  folders: Pick<Store['folders'], 'keyOf'>
  /** Returns the first files of a list, including those of folders being deleted. */
  files: (list: FileList & { limit: number }) => Query<FileRow[]>
}

/**
 * Runs queries on one snapshot. While folders are being deleted, their rows are counted first: they leave the
 * catalog's totals slice by slice, but the tree all at once.
 *
 * @throws {Refusal} `unavailable` when too many snapshots are being read.
 */
export async function readTree<Value>(
  deps: Pick<TreeCore, 'store' | 'nextTurn'>,
  leaving: AbortSignal,
  read: (tree: TreeAtOnce) => Work<Value>,
): Promise<Value> {
  const { store } = deps
  const { totals, folders, lists } = store
  const now = await store.read(function* () {
    if (yield* folders.isPurging()) return undefined
    return { value: yield* read({ totals, settings: store.settings.current(), folders, files: lists.page }) }
  })
  if (now) return now.value
  using snapshot = await store.readers.snapshot(leaving)
  const settings = store.settings.current()
  const leftovers = await countLeftovers(deps, snapshot, leaving)
  const tree = {
    totals: without(snapshot.totals, leftovers),
    settings,
    folders: snapshot.folders,
    files: (list: FileList) => snapshot.page(list),
  }
  return await snapshot.read(() => read(tree))
}

type Counted = Pick<FileRow, 'size' | 'mimeType' | 'visibility' | 'createdAt'>
const COLUMNS = ['size', 'mimeType', 'visibility', 'createdAt'] as const

type OfType = { mimeType: string; size: number }
const bySize = (a: OfType, b: OfType) => b.size - a.size || (a.mimeType < b.mimeType ? -1 : 1)

/** Counts of folders and files. */
export class Counts {
  folders = 0
  /** Totals by media type, visibility and day, whose values never coincide. */
  readonly #totals = new Map<string, { count: number; size: number }>()

  add({ size, mimeType, visibility, createdAt }: Counted): void {
    for (const group of [mimeType, visibility, utcDay(createdAt)]) {
      const { count, size: before } = this.of(group)
      this.#totals.set(group, { count: count + 1, size: before + size })
    }
  }

  of(group: string): { count: number; size: number } {
    return this.#totals.get(group) ?? { count: 0, size: 0 }
  }

  /** Returns the totals by media type, the largest type first. */
  types(): { mimeType: string; count: number; size: number }[] {
    const types = [...this.#totals].filter(([group]) => group.includes('/'))
    return types.map(([mimeType, total]) => ({ mimeType, ...total })).sort(bySize)
  }
}

/** Yields folders with all below them, and the files of each in time slices: at first none. */
export async function* filesBelow<Column extends keyof FileRow>(
  { nextTurn }: Pick<TreeCore, 'nextTurn'>,
  snapshot: Snapshot,
  { tops, columns }: { tops: readonly { id: string }[]; columns: readonly Column[] },
): AsyncGenerator<{ folderId: string; files: readonly Pick<FileRow, Column>[] }> {
  const filesIn = snapshot.filesIn(columns)
  for (const { id: top } of tops)
    for await (const { id } of foldersFrom(snapshot, { id: top, path: '', updatedAt: 0 })) {
      yield { folderId: id, files: [] }
      await nextTurn()
      for await (const files of filesIn(id)) {
        yield { folderId: id, files }
        await nextTurn()
      }
    }
}

async function countLeftovers(
  deps: Pick<TreeCore, 'nextTurn'>,
  snapshot: Snapshot,
  leaving: AbortSignal,
): Promise<Counts> {
  const leftovers = new Counts()
  const tops = await snapshot.folders.detached()
  for await (const { files } of filesBelow(deps, snapshot, { tops, columns: COLUMNS })) {
    if (files.length === 0) leftovers.folders += 1
    for (const file of files) leftovers.add(file)
    assertConnected(leaving)
  }
  return leftovers
}

function without(totals: TreeTotals, leftovers: Counts): TreeTotals {
  const less = <Total extends { count: number; size: number }>(total: Total, group: string): Total => {
    const { count, size } = leftovers.of(group)
    return { ...total, count: total.count - count, size: total.size - size }
  }
  return {
    types: () =>
      totals.types().into((types) =>
        types
          .map((type) => less(type, type.mimeType))
          .filter(({ count }) => count > 0)
          .sort(bySize),
      ),
    byVisibility: () =>
      totals.byVisibility().into((of) => ({
        public: less(of.public, 'public'),
        private: less(of.private, 'private'),
      })),
    addedSince: (day) => totals.addedSince(day).into((days) => days.map((added) => less(added, added.date))),
    folders: () => totals.folders().into((count) => count - leftovers.folders),
  }
}
