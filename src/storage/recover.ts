import type { Volume } from '../volume/open.ts'
import { type Plan, type RemovePlan, readPlan, type UploadPlan } from './plan.ts'
import type { StorageDeps } from './storage.ts'

/**
 * Finishes or undoes what an earlier process announced and did not complete. Safe to repeat: a crash in
 * the middle is recovered by the next start in the same way.
 *
 * @returns How many intents were left over.
 */
export async function recoverIntents({
  catalog,
  volume,
}: Pick<StorageDeps, 'catalog' | 'volume'>): Promise<number> {
  const intents = catalog.intents.all()
  for (const { id, plan } of intents) {
    await settle(volume, readPlan(plan))
    await catalog.transact(() => catalog.intents.remove(id))
  }
  return intents.length
}

function settle(volume: Volume, plan: Plan): Promise<void> {
  return plan.kind === 'upload' ? undoUpload(volume, plan) : finishRemove(volume, plan)
}

/** Takes back what an upload put on the volume: only its own files, and only folders that are empty. */
export async function undoUpload(volume: Volume, { files, folders }: UploadPlan): Promise<void> {
  for (const { key, identity } of files) await volume.removeFile(key, identity)
  for (const key of folders.toReversed()) await volume.removeEmptyDirectory(key)
}

/** Removes the bytes of files whose rows are gone. */
export async function finishRemove(volume: Volume, { files }: RemovePlan): Promise<void> {
  for (const { key, identity } of files) await volume.removeFile(key, identity)
}
