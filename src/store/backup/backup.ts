import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog, ReadableCatalog } from '../../catalog/catalog.ts'
import { removeLog } from '../../catalog/sqlite/database.ts'
import { openCatalog } from '../../catalog/sqlite/open.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { Clock } from '../../platform/clock.ts'
import { syncPath } from '../../platform/sync-path.ts'
import { SECRET } from '../../volume/layout.ts'
import { batchesOf } from '../batches.ts'
import { findKey } from '../tree.ts'
import { nextName } from './names.ts'
import type { Origin } from './origin.ts'
import { settleSnapshot } from './settle.ts'
import { type BackupStore, SNAPSHOT_DATABASE, type StoreWriter } from './store.ts'
import { copyTrash } from './trash.ts'

interface BackupResult {
  /** Name of the snapshot. */
  name: string
  /** Number of files in the snapshot. */
  files: number
  /** Number of files whose bytes were copied; those of the others were there. */
  copied: number
}

/** Rows of the instance, which servers may be changing. */
export interface LiveRows {
  /** Copies them to a new database at a path, as they stand at one moment. */
  copy: (path: string) => void | Promise<void>
  open: () => ReadableCatalog | Promise<ReadableCatalog>
}

interface BackupOptions {
  rows: LiveRows
  /** File with the signing secret, which need not exist; missing when the environment has it. */
  secret?: string | undefined
  origin: Origin
  store: BackupStore
  clock: Clock
  /** Called for a file whose bytes differ from the catalog: they are not in the backup. */
  onProblem: (key: string) => void
}

interface Backup extends BackupOptions {
  writer: StoreWriter
  snapshot: Catalog
  live: ReadableCatalog
  damaged: string[]
}

/**
 * Maximum copies of the catalog for one snapshot, so that a server with endless deletes cannot keep it from
 * ending.
 */
const MAX_COPIES = 10

/**
 * Copies the catalog and the bytes of every file in it, even while a server runs. Bytes that are there
 * already are not copied again. When a file was deleted before its bytes were copied, the catalog is copied
 * again without it; the last try leaves such files out. The snapshot appears once all of it is durable; the
 * next backup continues an interrupted one.
 *
 * @throws {StartError} when there is no catalog, or another backup is running.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupResult> {
  const { rows, secret, store, clock, onProblem } = options
  const writer = await store.startWriting()
  try {
    const name = nextName(store.snapshots(), clock.now())
    const folder = join(writer.tmp, name)
    let copied = 0
    let counts: Counts
    let copies = 0
    do {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
      await rows.copy(join(folder, SNAPSHOT_DATABASE))
      counts = await copyFiles(options, writer, join(folder, SNAPSHOT_DATABASE))
      copied += counts.copied
      copies += 1
    } while (counts.deleted > 0 && copies < MAX_COPIES)
    for (const key of counts.damaged) onProblem(key)
    if (secret !== undefined && existsSync(secret)) copyFileSync(secret, join(folder, SECRET))
    publish(store, folder, name)
    return { name, files: counts.files, copied }
  } finally {
    await writer.stop()
  }
}

function publish(store: BackupStore, folder: string, name: string): void {
  for (const file of [SNAPSHOT_DATABASE, SECRET])
    if (existsSync(join(folder, file))) syncPath(join(folder, file))
  syncPath(folder)
  renameSync(folder, store.snapshotPath(name))
  syncPath(store.snapshotPath(''))
}

/** Number of files per batch of fsyncs. */
const BATCH_FILES = 256

interface Counts {
  /** Number of files in the snapshot. */
  files: number
  copied: number
  /** Number of files that were deleted before their bytes were copied. */
  deleted: number
  /** Keys of files whose bytes differ from the catalog. */
  damaged: string[]
}

async function copyFiles(options: BackupOptions, writer: StoreWriter, database: string): Promise<Counts> {
  const live = await options.rows.open()
  const snapshot = openCatalog({ path: database, onUnknownOutcome: () => {} })
  const damaged: string[] = []
  const backup = { ...options, writer, snapshot, live, damaged }
  try {
    await settleSnapshot(snapshot)
    let [files, copied, deleted] = [0, 0, 0]
    for await (const batch of batchesOf(snapshot.files.after, BATCH_FILES)) {
      const outcomes = await copyBatch(backup, batch)
      deleted += outcomes.filter((outcome) => outcome === 'deleted').length
      files += batch.length
      copied += outcomes.filter((outcome) => outcome === 'copied').length
    }
    copied += await copyVersions(backup)
    copied += await copyTrash(backup)
    return { files: files - deleted, copied, deleted, damaged }
  } finally {
    snapshot.close()
    removeLog(database)
    live.close()
  }
}

type Outcome = 'kept' | 'copied' | 'deleted' | 'damaged'

async function copyBatch(backup: Backup, batch: readonly FileRow[]): Promise<Outcome[]> {
  const { snapshot, writer } = backup
  const outcomes: Outcome[] = []
  for (const file of batch) outcomes.push(await copyFile(backup, file))
  await writer.flush()
  await snapshot.transact(function* () {
    for (const [index, { id }] of batch.entries())
      if (outcomes[index] === 'deleted') yield* snapshot.files.remove(id)
  })
  return outcomes
}

/** Maximum searches for a file that is moved again and again. */
const MAX_TRIES = 5
const RETRY_MS = 50

async function copyFile(backup: Backup, file: FileRow): Promise<Outcome> {
  const { store, snapshot, live } = backup
  if (store.has(file)) return 'kept'
  const key = (await snapshot.read(() => findKey(snapshot, file))) ?? ''
  if (await receive(backup, file, key)) return 'copied'
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries > 0) await Bun.sleep(RETRY_MS)
    // Another process changes the tree.
    live.forgetKeys()
    const now = await live.files.byId(file.id)
    const keyNow = now && (await live.read(() => findKey(live, now)))
    if (!now || keyNow === undefined) return 'deleted'
    if (!(await receive(backup, now, keyNow))) continue
    // Its bytes were replaced since the catalog was copied.
    if (now.sha256 !== file.sha256)
      await snapshot.transact(() => snapshot.files.update(file.id, contentOf(now)))
    return 'copied'
  }
  backup.damaged.push(key)
  return 'damaged'
}

const contentOf = ({ size, crc32, sha256, isUtf8, blobId, facts, uploadedBy, updatedAt }: FileRow) => ({
  blobId,
  facts,
  size,
  crc32,
  sha256,
  isUtf8,
  uploadedBy,
  updatedAt,
})

/** Copies the bytes of versions and returns how many. Those that were removed meanwhile leave the snapshot. */
async function copyVersions(backup: Backup): Promise<number> {
  const { store, snapshot, live, origin, writer, damaged } = backup
  let copied = 0
  for await (const batch of batchesOf(snapshot.versions.after, BATCH_FILES)) {
    const removed: string[] = []
    for (const version of batch) {
      const { id, sha256 } = version
      if (store.has(version)) continue
      const opened = await origin.ofVersion(version)
      if (opened && (await writer.receive(opened, sha256))) copied += 1
      else if (await live.versions.byId(id)) damaged.push(`versions/${id}`)
      else removed.push(id)
    }
    await writer.flush()
    await snapshot.transact(() => snapshot.versions.remove(removed))
  }
  return copied
}

/** Copies the bytes of a file and returns true if they are those of its row. */
async function receive({ origin, writer }: Backup, file: FileRow, key: string): Promise<boolean> {
  const opened = await origin.ofFile(file, key)
  if (opened?.size === file.size) return writer.receive(opened, file.sha256)
  opened?.close()
  return false
}
