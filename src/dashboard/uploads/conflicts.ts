import { HoldfastError } from '../../client/index.ts'
import { waitOf } from '../api/client.ts'
import { checksumOf, checksumsBelow, contentOf } from '../api/files.ts'
import { sleep } from '../bulk/pace.ts'
import type { Picked } from './collect.ts'
import type { Conflict, Existing } from './names.ts'

/** Maximum files whose checksums are read one by one. Of more, the list of the whole folder is cheaper. */
const MAX_SINGLE = 20
/** Maximum size of a file that is compared by its bytes. A larger one counts as changed. */
const MAX_COMPARED = 1024 ** 3

/**
 * Finds what has object keys in folders below the target. One list of the target, and one of each of its folders
 * that is uploaded again, suffice for any number of files.
 */
export async function findTaken(
  folders: Iterable<string>,
  target: string,
  how?: Parameters<typeof contentOf>[1],
): Promise<ReadonlyMap<string, Existing>> {
  const tops = new Set([...folders].map((folder) => folder.split('/')[0] ?? ''))
  const isDirect = tops.delete('')
  const present = await asked(() => contentOf(target, how))
  if (!present) return new Map()
  const named = present.folders.map(({ id, key }) => ({ id, key, size: null }))
  const direct = isDirect ? [...present.files, ...named] : []
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
  const similar = conflicts.flatMap(({ picked, existing: { id, size, sha256 } }) => {
    const isSimilar = picked.file.size === size && size <= MAX_COMPARED
    return id !== undefined && isSimilar ? [{ picked, id, known: sha256 }] : []
  })
  const unknown = similar.filter(({ known }) => known === undefined)
  const all = unknown.length > MAX_SINGLE ? ((await asked(() => checksumsBelow(target))) ?? []) : []
  const listed = new Map(all.map(({ id, sha256 }) => [id, sha256]))
  const unchanged = new Set<Picked>()
  for (const { picked, id, known } of similar) {
    const sha256 = known ?? listed.get(id) ?? (await asked(() => checksumOf(id)))
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
