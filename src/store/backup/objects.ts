import { utimes } from 'node:fs/promises'
import type { Catalog } from '../../catalog/catalog.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { Random } from '../../platform/random.ts'
import type { StagedFile } from '../../volume/staging.ts'
import type { Volume } from '../../volume/volume.ts'
import type { BackupStore } from './store.ts'

/** Bytes to restore, and the time to give them. */
export type Stored = Pick<FileRow, 'sha256' | 'blobId' | 'createdAt'>

/** Restore into a data folder. */
export interface Restoration {
  catalog: Catalog
  volume: Volume
  /** Runs `put` with local files of the rows whose bytes are there, undamaged. */
  provide: <Row extends Stored>(
    rows: readonly Row[],
    put: (found: readonly { row: Row; stagedPath: string }[]) => Promise<void>,
  ) => Promise<void>
}

/** Stages the bytes of rows from a backup. */
export const fromBackup =
  (store: BackupStore, { random, volume }: { random: Random; volume: Volume }): Restoration['provide'] =>
  async (rows, put) => {
    const staging = await volume.stage(random.id())
    try {
      const found: { row: (typeof rows)[number]; stagedPath: string }[] = []
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
