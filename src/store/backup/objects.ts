import { utimes } from 'node:fs/promises'
import type { FileRow } from '../../catalog/files.ts'
import type { Catalog } from '../../catalog/open.ts'
import type { Random } from '../../platform/random.ts'
import type { StagedFile } from '../../volume/staging.ts'
import type { Volume } from '../../volume/volume.ts'
import type { BackupStore } from './store.ts'

/** Services of a restore. */
export interface Restoration {
  store: BackupStore
  random: Random
  catalog: Catalog
  volume: Volume
}

/** Bytes to restore, and the time to give them. */
type Stored = Pick<FileRow, 'sha256' | 'createdAt'>

/** Stages the bytes of `rows` that the backup has, undamaged, and runs `put` with them. */
export async function withObjects<Row extends Stored>(
  { store, random, volume }: Restoration,
  rows: readonly Row[],
  put: (found: readonly { row: Row; stagedPath: string }[]) => Promise<void>,
): Promise<void> {
  const staging = await volume.stage(random.id())
  try {
    const found: { row: Row; stagedPath: string }[] = []
    const limits = { maxBytes: Number.MAX_SAFE_INTEGER, claim: volume.createClaim() }
    for (const row of rows) {
      const opened = store.open(row.sha256)
      if (!opened) continue
      const staged: StagedFile = await staging.receive(opened.chunks(), limits)
      if (staged.sha256 !== row.sha256) continue
      await utimes(staged.path, row.createdAt / 1000, row.createdAt / 1000)
      found.push({ row, stagedPath: staged.path })
    }
    await staging.sync()
    await put(found)
  } finally {
    await staging.discard()
  }
}
