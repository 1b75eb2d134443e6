import { closeSync, mkdirSync, openSync, rmSync, statfsSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from './cleanup.ts'

const MiB = 1024 ** 2
const IMAGE_BYTES = 48 * MiB

/** How a disk is laid out and mounted. */
export interface DiskKind {
  name: string
  /** ext4's `data=` mode: in `writeback`, names reach the disk before the bytes they stand for. */
  mode: 'ordered' | 'writeback'
  /** Whether the database has a disk of its own, so that its log does not bring files' names along. */
  split: boolean
}

export const DISK_KINDS: readonly DiskKind[] = [
  { name: 'ordered', mode: 'ordered', split: false },
  { name: 'ordered, database apart', mode: 'ordered', split: true },
  { name: 'writeback', mode: 'writeback', split: false },
  { name: 'writeback, database apart', mode: 'writeback', split: true },
]

/** Where images are kept: in memory where there is room, because they are written and copied all the time. */
export function imageFolder(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > 40 * IMAGE_BYTES) return '/dev/shm'
  } catch {
    // There is none.
  }
  return tmpdir()
}

/**
 * ext4 on images, mounted so that nothing reaches an image before it is synced: what an image holds is what
 * a disk holds after a power cut.
 */
export class Disk {
  readonly dataPath: string
  readonly #folder: string
  readonly #kind: DiskKind
  #forget = () => {}

  private constructor(folder: string, kind: DiskKind) {
    this.#folder = folder
    this.#kind = kind
    this.dataPath = join(folder, 'mounted')
  }

  /** Makes and mounts an empty disk in a folder of its own. */
  static create(folder: string, kind: DiskKind): Disk {
    mkdirSync(folder)
    const disk = new Disk(folder, kind)
    for (const image of disk.#images()) {
      closeSync(openSync(image, 'w'))
      truncateSync(image, IMAGE_BYTES)
      run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image)
    }
    disk.#mount()
    return disk
  }

  /** A copy as it would be found after the power had gone now. It is not mounted yet. */
  cut(folder: string): Disk {
    mkdirSync(folder)
    for (const image of this.#images()) run('cp', '--sparse=always', image, folder)
    return new Disk(folder, this.#kind)
  }

  /** Mounts a copy; the file system recovers. */
  restore(): void {
    this.#mount()
  }

  /** Unmounts and removes everything. */
  remove(): void {
    this.#forget()
    if (this.#kind.split) Bun.spawnSync(['umount', '-l', join(this.dataPath, 'db')])
    Bun.spawnSync(['umount', '-l', this.dataPath])
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #images(): string[] {
    return (this.#kind.split ? ['files', 'db'] : ['files']).map((name) => join(this.#folder, name))
  }

  #mount(): void {
    const options = `loop,noauto_da_alloc,commit=300,data=${this.#kind.mode}`
    const [files = '', db] = this.#images()
    mkdirSync(this.dataPath)
    this.#forget = atExit(() => this.remove())
    run('mount', '-o', options, files, this.dataPath)
    if (db === undefined) return
    mkdirSync(join(this.dataPath, 'db'), { recursive: true })
    run('mount', '-o', options, db, join(this.dataPath, 'db'))
  }
}

function run(...command: string[]): void {
  const { success, stderr } = Bun.spawnSync(command)
  if (!success) throw new Error(`${command[0]} failed: ${stderr}`)
}

/** Why disks cannot be made here; `undefined` when they can. */
export function whyNoDisks(folder: string): string | undefined {
  try {
    Disk.create(join(folder, 'probe'), { name: 'probe', mode: 'ordered', split: false }).remove()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}
