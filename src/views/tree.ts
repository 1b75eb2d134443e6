import { assertConnected } from '../platform/slots.ts'
import { utcDay } from '../platform/time.ts'
import type { FileList, FileRow, Query, Snapshot, TotalQueries, Work } from '../store/rows.ts'
import type { InstanceSettings } from '../store/settings.ts'
import type { Store, TreeCore } from '../store/store.ts'
import { foldersFrom } from './folders.ts'

/** Totals of everything in the tree. */
type TreeTotals = Omit<TotalQueries, 'inFolders'>

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

/** Rows of deleted folders that are still to be removed. */
class Leftovers {
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
}

async function countLeftovers(
  { nextTurn }: Pick<TreeCore, 'nextTurn'>,
  snapshot: Snapshot,
  leaving: AbortSignal,
): Promise<Leftovers> {
  const leftovers = new Leftovers()
  const filesIn = snapshot.filesIn(COLUMNS)
  for (const top of await snapshot.folders.detached())
    for await (const { id } of foldersFrom(snapshot, { ...top, path: '' })) {
      leftovers.folders += 1
      await nextTurn()
      for await (const slice of filesIn(id)) {
        for (const file of slice) leftovers.add(file)
        await nextTurn()
        assertConnected(leaving)
      }
    }
  return leftovers
}

function without(totals: TreeTotals, leftovers: Leftovers): TreeTotals {
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
          .sort((a, b) => b.size - a.size || (a.mimeType < b.mimeType ? -1 : 1)),
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
