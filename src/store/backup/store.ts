import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode, StartError } from '../../platform/errors.ts'
import { syncPath } from '../../platform/sync-path.ts'
import { Durability } from '../../volume/disk.ts'
import { HashThread } from '../../volume/hash-thread.ts'
import { lockFile } from '../../volume/layout.ts'
import { DistinctTimes, Staging } from '../../volume/staging.ts'
import { StoredFile } from '../../volume/stored-file.ts'
import { isDigest } from '../../volume/writer.ts'

/** Name of the catalog's database in a snapshot. */
export const SNAPSHOT_DATABASE = 'holdfast.sqlite'

/** Bytes of a file as the catalog describes them. */
interface Content {
  sha256: string
  /** Length in bytes. */
  size: number
}

export type BackupStore = ReturnType<typeof openStore>

/**
 * Opens a folder of backups. `objects/` holds the bytes of files by their SHA-256, each once for all files
 * and backups; `snapshots/` holds one folder per finished backup.
 *
 * @param isNew True to create a missing folder.
 * @throws {StartError} when the folder cannot be used, or another process is using it.
 */
export function openStore(folder: string, { isNew = false }: { isNew?: boolean } = {}) {
  const root = isNew ? made(folder) : found(folder)
  const snapshots = join(root, 'snapshots')
  const objects = join(root, 'objects')
  const pathOf = (sha256: string) => join(objects, sha256.slice(0, 2), sha256)
  return {
    root,
    objects,
    /** Returns the path of a snapshot, which need not exist. */
    snapshotPath: (name: string): string => join(snapshots, name),
    /** Returns the names of the snapshots, oldest first. */
    snapshots: (): string[] =>
      readdirSync(snapshots)
        .filter((name) => existsSync(join(snapshots, name, SNAPSHOT_DATABASE)))
        .sort(),
    has: ({ sha256, size }: Content): boolean =>
      isDigest(sha256) && statSync(pathOf(sha256), { throwIfNoEntry: false })?.size === size,
    open: (sha256: string): StoredFile | undefined =>
      isDigest(sha256) ? StoredFile.open(pathOf(sha256)) : undefined,
    take: () => take(root),
    startWriting: () => startWriting(root, pathOf),
  }
}

const FOLDERS = ['objects', 'snapshots', 'tmp']

function made(folder: string): string {
  try {
    for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
    return realpathSync(folder)
  } catch (error) {
    throw new StartError(`Cannot use the folder "${folder}" for backups: ${errorCode(error)}`, {
      cause: error,
    })
  }
}

function found(folder: string): string {
  const isStore = FOLDERS.every((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory(),
  )
  if (isStore) return realpathSync(folder)
  throw new StartError(`The folder "${folder}" has no backups`)
}

/**
 * Locks the folder against other changes and clears leftovers of an interrupted one.
 *
 * @throws {StartError} when another process holds the lock.
 */
function take(root: string) {
  const lock = lockFile(join(root, 'lock.sqlite'), `Another backup to the folder "${root}" is running.`)
  const tmp = join(root, 'tmp')
  // The folder itself stays, because without it the root would not be recognized after a kill.
  const clear = () => {
    for (const name of readdirSync(tmp)) rmSync(join(tmp, name), { recursive: true })
  }
  clear()
  return {
    tmp,
    release: () => {
      clear()
      lock.release()
    },
  }
}

export type StoreWriter = Awaited<ReturnType<typeof startWriting>>

async function startWriting(root: string, pathOf: (sha256: string) => string) {
  const { tmp, release } = take(root)
  const hashes = new HashThread()
  const staging = await Staging.create(join(tmp, 'objects'), {
    hashes,
    times: new DistinctTimes(),
    durability: new Durability(),
  })
  let received: { path: string; sha256: string }[] = []
  return {
    tmp,
    /** Copies a file and returns true if its bytes are those expected. `flush` makes the copy durable. */
    async receive(file: Pick<StoredFile, 'chunks'>, sha256: string): Promise<boolean> {
      const staged = await staging.receive(file.chunks(), {
        maxBytes: Number.MAX_SAFE_INTEGER,
        claim: () => {},
      })
      if (staged.sha256 === sha256) received.push({ path: staged.path, sha256 })
      return staged.sha256 === sha256
    },
    /** Puts received files in their place, durably. */
    async flush(): Promise<void> {
      await staging.sync()
      const folders = new Set(received.map(({ sha256 }) => dirname(pathOf(sha256))))
      for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 })
      for (const { path, sha256 } of received) renameSync(path, pathOf(sha256))
      for (const folder of [...folders, join(root, 'objects')]) syncPath(folder)
      received = []
    },
    async stop(): Promise<void> {
      await staging.discard()
      hashes.close()
      release()
    },
  }
}
