import { closeSync, mkdirSync, openSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { atExit } from '../support/cleanup.ts'
import { fastFolder } from '../support/temporary.ts'

const MiB = 1024 ** 2
const IMAGE_BYTES = 48 * MiB

/** Layout and mount mode of a disk. */
export interface DiskKind {
  name: string
  /** ext4's `data=` mode. In `writeback`, names can reach the disk before their files' bytes. */
  mode: 'ordered' | 'writeback'
  /** True when the database has its own disk, so that syncs of its log do not sync files' names. */
  split: boolean
}

export const DISK_KINDS: readonly DiskKind[] = [
  { name: 'ordered', mode: 'ordered', split: false },
  { name: 'ordered, database apart', mode: 'ordered', split: true },
  { name: 'writeback', mode: 'writeback', split: false },
  { name: 'writeback, database apart', mode: 'writeback', split: true },
]

/** Returns a folder for images, in memory if there is room, because the rig writes and copies them all the time. */
export const imageFolder = () => fastFolder(40 * IMAGE_BYTES)

/**
 * ext4 on images, mounted so that only synced data reaches an image. An image therefore has the content of a disk after
 * a power cut.
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

  /** Creates and mounts an empty disk in a new folder. */
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

  /** Returns an unmounted copy with the content that a power cut would leave now. */
  cut(folder: string): Disk {
    mkdirSync(folder)
    for (const image of this.#images()) run('cp', '--sparse=always', image, folder)
    return new Disk(folder, this.#kind)
  }

  /** Mounts a copy. The file system recovers. */
  restore(): void {
    this.#mount()
  }

  /** Unmounts and removes the disk. */
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

/** Returns the reason why this machine cannot make disks; `undefined` when it can. */
export function whyNoDisks(folder: string): string | undefined {
  try {
    Disk.create(join(folder, 'probe'), { name: 'probe', mode: 'ordered', split: false }).remove()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}
