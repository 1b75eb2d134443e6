import { HoldfastError } from '../../client/index.ts'
import { waitOf } from '../api/client.ts'
import { checksumOf, checksumsBelow, contentOf } from '../api/files.ts'
import { sleep } from '../bulk/pace.ts'
import { joinKey } from '../lib/paths.ts'
import { type Collected, type Picked, withName } from './collect.ts'

/** File on the server, or a folder with the name of one to upload. */
export interface Existing {
  id: string
  /** Null for a folder, which no file can replace. */
  size: number | null
  sha256?: string
}

/** File to upload, and what has its object key. */
export interface Conflict {
  picked: Picked
  existing: Existing
}

/** Maximum files whose checksums are read one by one. Of more, the list of the whole folder is cheaper. */
const MAX_SINGLE = 20
/** Maximum size of a file that is compared by its bytes. A larger one counts as changed. */
const MAX_COMPARED = 1024 ** 3

/**
 * Finds the object keys that uploads would occupy twice. One list of the folder, and one of each of its folders
 * that is uploaded again, suffice for any number of files.
 */
export async function findTaken(
  { files }: Collected,
  target: string,
): Promise<ReadonlyMap<string, Existing>> {
  const isDirect = files.some(({ folder }) => folder === '')
  const tops = new Set(files.map(({ folder }) => folder.split('/')[0] ?? '').filter((top) => top !== ''))
  const present = await asked(() => contentOf(target))
  if (!present) return new Map()
  const folders = present.folders.map(({ id, key }) => ({ id, key, size: null }))
  const direct = isDirect ? [...present.files, ...folders] : []
  const taken = new Map<string, Existing>(direct.map((one) => [one.key, one]))
  for (const { key } of present.folders.filter(({ name }) => tops.has(name))) {
    for (const file of (await asked(() => checksumsBelow(key))) ?? []) taken.set(file.key, file)
  }
  return taken
}

/** Returns the files that have the very bytes of those on the server. */
export async function findUnchanged(
  conflicts: readonly Conflict[],
  target: string,
): Promise<ReadonlySet<Picked>> {
  const similar = conflicts.filter(
    ({ picked: { file }, existing }) => file.size === existing.size && file.size <= MAX_COMPARED,
  )
  const unknown = similar.filter(({ existing }) => existing.sha256 === undefined)
  const all = unknown.length > MAX_SINGLE ? ((await asked(() => checksumsBelow(target))) ?? []) : []
  const known = new Map(all.map(({ id, sha256 }) => [id, sha256]))
  const unchanged = new Set<Picked>()
  for (const { picked, existing } of similar) {
    const sha256 = existing.sha256 ?? known.get(existing.id) ?? (await asked(() => checksumOf(existing.id)))
    if (sha256 !== undefined && sha256 === (await hashFile(picked.file))) unchanged.add(picked)
  }
  return unchanged
}

/** Repeats a request after a 429. Other errors return undefined: the server never replaces a file anyway. */
async function asked<Told>(ask: () => Promise<Told>): Promise<Told | undefined> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error
      const wait = waitOf(error)
      if (wait === 0) return undefined
      await sleep(wait * 1000)
    }
  }
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

/**
 * Returns a file's SHA-256 in hexadecimal; undefined if the browser cannot read it. The browser's own digest is
 * missing in pages without TLS, and needs the whole file in memory.
 */
export async function hashFile(file: File): Promise<string | undefined> {
  const { sha256 } = await import('@noble/hashes/sha2.js')
  const hash = sha256.create()
  try {
    for await (const chunk of file.stream()) hash.update(chunk)
  } catch {
    // A folder, or a file that was deleted meanwhile. Its upload reports it.
    return undefined
  }
  return hash.digest().toHex()
}
