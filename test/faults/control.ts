import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

/** Kinds of durability calls, as the shim's bits. */
export const CALLS = {
  /** `fsync`, `fdatasync` of files, directories and the write-ahead log, but not of the database's folder. */
  fsync: 1,
  /** `rename`, `link`, `unlink`, `mkdir`, `rmdir`. */
  names: 2,
  /** `pwrite`, `ftruncate` of SQLite. */
  write: 4,
  /** `fsync`, `fdatasync` of files and directories that are not SQLite's. */
  fileSync: 8,
  /** `fsync`, `fdatasync` of the write-ahead log and the database. */
  logSync: 16,
  /**
   * `fsync` of the database's folder. Each connection of SQLite repeats it and ignores its error; the one that counts is
   * the server's own at its start.
   */
  folderSync: 32,
}
export const DURABILITY_CALLS = CALLS.fsync | CALLS.folderSync | CALLS.names
export const ALL_CALLS = DURABILITY_CALLS | CALLS.write

export const ERRORS = ['EIO', 'ENOSPC', 'EROFS', 'EMFILE', 'EDQUOT'] as const
export type ErrorName = (typeof ERRORS)[number]

/** Number of the action `hold`, which is no errno. */
const HOLD = -1

/** Failure of one or more calls. */
export interface Fault {
  /** Bits of `CALLS`. */
  calls: number
  /** Number of the call that fails. The next call has the number 1. */
  nth: number
  /** `hold` stops the process before each of the calls, until SIGCONT. */
  action: 'kill' | 'hold' | ErrorName
  /** True when all later calls fail as well. */
  sticky?: boolean
  /**
   * Milliseconds in which later calls fail as well. After a failed `fsync`, later ones of the same file succeed but
   * write nothing: Linux marks the pages that it could not write as clean.
   */
  lasting?: number
}

/** Control of the shim in a server process, through a file that both map. */
export class Control {
  readonly #fd: number
  readonly environment: Record<string, string>

  constructor(folder: string, shimPath: string) {
    const path = join(folder, 'control')
    this.#fd = openSync(path, 'w+')
    this.environment = { LD_PRELOAD: shimPath, FAULT_CONTROL: path }
    this.#write([0, 0, 0, 0, 0, 0, 0, 0])
  }

  arm({ calls, nth, action, sticky = false, lasting = 0 }: Fault): void {
    const error = action === 'kill' ? 0 : action === 'hold' ? HOLD : constants.errno[action]
    this.#write([0, nth, error, sticky ? 1 : 0, 0, 0, lasting])
    // Last, so that no call sees half of the fault.
    this.#write([calls])
  }

  /** Lets all calls pass and preserves the counts. */
  disarm(): void {
    this.#write([0])
  }

  /** Returns the number of calls that failed since it was armed. */
  hits(): number {
    return this.#read()[5] ?? 0
  }

  /** Returns the id of the last process that was started with this control. */
  pid(): number {
    return this.#read()[7] ?? 0
  }

  /** Returns the number of counted calls since it was armed. */
  count(): number {
    return this.#read()[4] ?? 0
  }

  close(): void {
    closeSync(this.#fd)
  }

  #write(numbers: number[]): void {
    writeSync(this.#fd, new Uint8Array(Int32Array.from(numbers).buffer), 0, numbers.length * 4, 0)
  }

  #read(): Int32Array {
    const numbers = new Int32Array(8)
    readSync(this.#fd, new Uint8Array(numbers.buffer), 0, numbers.byteLength, 0)
    return numbers
  }
}

/** Compiles the shim. Returns its path; `undefined` when the machine has no compiler. */
export function compileShim(folder: string): string | undefined {
  const compiler = Bun.which('cc') ?? Bun.which('gcc')
  if (!compiler) return undefined
  const path = join(folder, 'shim.so')
  const source = join(import.meta.dir, 'shim.c')
  const { success, stderr } = Bun.spawnSync([compiler, '-O1', '-shared', '-fPIC', '-o', path, source, '-ldl'])
  if (!success) throw new Error(`The shim does not compile: ${stderr}`)
  return path
}
