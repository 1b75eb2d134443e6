import type { TreeContext } from '../../access/context.ts'
import { type NamedItem, numberedName } from '../../platform/names.ts'
import { assertConnected } from '../../platform/slots.ts'
import type { FileRow, FolderRow } from '../../store/rows.ts'
import type { ZipEntry } from '../../zip/entry.ts'
import { type Archive, type Attempt, ContentBuffer, entryOf, measure, openByRow } from './archive.ts'
import { entriesOf, planFolder } from './folder.ts'
import { OpenAhead } from './open-ahead.ts'
import { ArchivePlan } from './plan.ts'

interface Items {
  files: readonly FileRow[]
  folders: readonly FolderRow[]
  /** Name of the archive, without its extension. */
  name: string
}

/**
 * Archives files and folders from anywhere side by side, a folder with everything below it. A name that occurs twice
 * gets a number. What is missing or unreadable is left out.
 *
 * @throws {Refusal} `not-found` when a folder is gone; `unavailable` when too many are being read.
 */
export async function archiveItems(
  deps: TreeContext,
  { files, folders, name }: Items,
  attempt: Attempt,
): Promise<Archive> {
  const plan = new ArchivePlan(deps)
  const readable = files.filter(({ id }) => !attempt.unreadable.has(id))
  const ahead = new OpenAhead(readable, attempt.placesAhead, (file) => openByRow(deps, file))
  const close = () => {
    ahead[Symbol.dispose]()
    plan.close()
  }
  try {
    const taken = new Map<string, number>()
    const buffer = new ContentBuffer()
    const entries: ZipEntry[] = []
    for (const file of readable) {
      await deps.nextTurn()
      assertConnected(attempt.leaving)
      const found = await measure(deps, file, () => openByRow(deps, file), attempt)
      if (!found) continue
      const name = freeName(taken, { name: file.name, kind: 'file' })
      const entry = entryOf(found, name, { open: () => ahead.open(file), buffer })
      entries.push(entry)
      plan.count(entry)
    }
    let displacements: number | undefined
    for (const { id, name: own } of folders) {
      const as = freeName(taken, { name: own, kind: 'folder' })
      const planned = await planFolder(deps, plan, { which: { id }, attempt, as })
      displacements ??= planned.displacements
    }
    return {
      name: `${name}.zip`,
      length: plan.length,
      entries: both(entries, entriesOf(deps, plan, { attempt, displacements: displacements ?? 0 })),
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

async function* both(
  first: readonly ZipEntry[],
  second: AsyncGenerator<ZipEntry, void>,
): AsyncGenerator<ZipEntry, void> {
  yield* first
  yield* second
}

/** @param taken Names that are taken, and for each the next number to try. */
function freeName(taken: Map<string, number>, item: NamedItem): string {
  let number = taken.get(item.name) ?? 1
  while (taken.has(numberedName(item, number))) number += 1
  const free = numberedName(item, number)
  taken.set(free, 2).set(item.name, number + 1)
  return free
}
