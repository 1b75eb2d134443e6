import { joinKey } from '../lib/paths.ts'
import { type Picked, withName } from './collect.ts'

/** Holder of the object key of a file to upload: a file or folder on the server, or another file to upload. */
export interface Existing {
  /** Undefined for a file to upload. */
  id?: string
  /** Null for a folder, which no file can replace. */
  size: number | null
  sha256?: string
}

/** File to upload, and what has its object key. */
export interface Conflict {
  picked: Picked
  existing: Existing
}

/** True for a conflict that can be resolved by replacing: no file replaces a folder, or one of the same choice. */
export const isReplaceable = ({ existing }: Conflict): boolean =>
  existing.id !== undefined && existing.size !== null

/** Finds the files whose object keys are taken, or are those of earlier ones in the same choice. */
export function findConflicts(
  files: readonly Picked[],
  target: string,
  taken: ReadonlyMap<string, Existing>,
): Conflict[] {
  const chosen = new Map<string, Existing>()
  return files.flatMap((picked) => {
    const key = keyOf(picked, target)
    const existing = chosen.get(key) ?? taken.get(key)
    chosen.set(key, { size: picked.file.size })
    // A replacement is there already by intention.
    return existing && picked.replaces === undefined ? [{ picked, existing }] : []
  })
}

export const keyOf = ({ file, folder }: Picked, target: string): string => joinKey(target, folder, file.name)

/** Renames some files so that their object keys are free, such as to `photo (2).jpg`. */
export function withFreeNames(
  files: readonly Picked[],
  target: string,
  { taken, renamed }: { taken: Iterable<string>; renamed: ReadonlySet<Picked> },
): Picked[] {
  const used = new Set([...taken, ...files.map((one) => keyOf(one, target))])
  return files.map((one) => {
    if (!renamed.has(one)) return one
    const { file, folder } = one
    let name = file.name
    for (let count = 2; used.has(joinKey(target, folder, name)); count += 1) name = numbered(file.name, count)
    used.add(joinKey(target, folder, name))
    return { ...one, file: withName(file, name) }
  })
}

/** Returns a name with a number before its extension. */
function numbered(name: string, count: number): string {
  const dot = name.lastIndexOf('.')
  const end = dot > 0 ? dot : name.length
  return `${name.slice(0, end)} (${count})${name.slice(end)}`
}
