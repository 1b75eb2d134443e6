import type { Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import { findKey } from '../tree.ts'
import { announce, change, type StorageDeps } from './change.ts'
import type { DeletePlan } from './plan.ts'
import { removeRows } from './versions.ts'

/**
 * Deletes a file: its name leaves the tree in the turn of the commit that removes its row, then its bytes are
 * purged. A refusal of the disk changes nothing. An unknown entry in its place stays.
 *
 * @returns The removed row, or `undefined` when there is no such file.
 * @throws {Refusal} `disk_refused`, `unavailable`, `no_space`.
 */
export function removeFile(deps: StorageDeps, id: string): Promise<FileRow | undefined> {
  return deps.lock.exclusive(async () => {
    const { catalog } = deps
    const file = await catalog.files.byId(id)
    const key = file && (await catalog.read(() => findKey(catalog, file)))
    if (!file || key === undefined) return undefined
    await change(deps, { failure: `The file "${key}" could not be deleted`, keys: [key] }, () =>
      remove(deps, id, key),
    )
    return file
  })
}

async function remove(deps: StorageDeps, id: string, key: string): Promise<void> {
  const { catalog, volume, versionBytes, random } = deps
  const identity = await volume.identify(key, 'file')
  if (!identity) {
    const versions = await catalog.transactToFree(function* () {
      volume.assertPresent()
      return yield* removeRows(deps, [id])
    })
    return versionBytes.remove(versions)
  }
  const aside = volume.aside.newName(random.bytes)
  const plan: DeletePlan = { kind: 'delete', id, key, aside, identity }
  const commit = function* (): Work<string[]> {
    volume.assertPresent()
    volume.aside.take(key, aside, identity)
    return yield* removeRows(deps, [id])
  }
  const removed = await announce(deps, { plan, frees: true, commit: (transact) => transact(commit) })
  await removed.finished
  await versionBytes.remove(removed.value)
}
