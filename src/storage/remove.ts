import type { FileRow } from '../catalog/files.ts'
import { finishRemove } from './recover.ts'
import type { StorageDeps } from './storage.ts'
import { fileKey } from './target.ts'

/**
 * Removes a file: first its row, with an intent that names the bytes, then the bytes. Once the row is
 * gone the file is deleted; bytes that cannot be removed now are removed at the next start.
 *
 * @returns The removed row, or `undefined` when there is no such file.
 */
export function removeFile(deps: StorageDeps, id: string): Promise<FileRow | undefined> {
  return deps.lock.exclusive(() => remove(deps, id))
}

async function remove(deps: StorageDeps, id: string): Promise<FileRow | undefined> {
  const { catalog, volume, log } = deps
  const file = catalog.files.byId(id)
  const key = file && fileKey(catalog, file)
  if (!file || key === undefined) return undefined
  const identity = await volume.identify(key, 'file')
  const intentId = deps.random.id()
  const plan = { kind: 'remove' as const, files: identity ? [{ key, identity }] : [] }

  await catalog.transactToFree(() => {
    catalog.files.remove(id)
    catalog.intents.insert({ id: intentId, plan, createdAt: deps.clock.now() })
  })
  try {
    await finishRemove(volume, plan)
    await catalog.transactToFree(() => catalog.intents.remove(intentId))
  } catch (error) {
    log.error('The bytes of a deleted file could not be removed; the next start tries again', error)
  }
  return file
}
