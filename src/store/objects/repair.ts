import { isBlobId } from '../../blobs/blobs.ts'
import { count as countOf } from '../../platform/amounts.ts'
import { rowsOf } from '../batches.ts'
import type { FileProblem } from '../content.ts'
import type { Damage, FoundObjects, ObjectChange, ObjectRepair, Rows } from './apply-repair.ts'
import { readopt } from './readopt.ts'
import { blobProblem, type StoredRow, sizesOf, storedRows } from './verify.ts'

/**
 * Yields the changes that bring the rows of a catalog into agreement with the objects of a store. Nothing else may change
 * either meanwhile. Objects have no names, so rows come back from earlier catalogs alone.
 *
 * @throws {Refusal} `unavailable` when the object store does not respond.
 */
export async function* planObjectRepair(options: ObjectRepair): AsyncGenerator<ObjectChange> {
  const found = { sizes: await sizesOf(options.objects), used: new Set<string>() }
  yield* checkRows(options, found)
  yield* readopt(options, found)
  yield* checkBlobs(options, found)
}

/** Yields the rows whose objects are missing or damaged, and those whose objects would be removed. */
async function* checkRows(options: ObjectRepair, found: FoundObjects): AsyncGenerator<ObjectChange> {
  const { catalog } = options
  const known = await knownProblems(catalog)
  for await (const rows of storedRows(catalog)) {
    const ids = rows.flatMap(({ blobId }) => blobId ?? [])
    const states = new Map((await catalog.blobs.statesOf(ids)).map(({ id, state }) => [id, state]))
    for (const row of rows) {
      const { id, place, blobId, size } = row
      const problem = await problemOf(options, found, row)
      if (problem === 'bytes are missing' && options.isLost) {
        // The versions came with the accounts of an older database.
        if (place === 'versions') yield { kind: 'drop version', key: await row.key(), id }
        continue
      }
      if (blobId !== null) found.used.add(blobId)
      if (problem) yield damage(options, row, { key: await row.key(), problem, known: known.get(id) })
      else if (known.has(id)) yield* intact(options, row, known.get(id))
      if (!problem && blobId !== null && states.get(blobId) !== 'kept')
        yield { kind: 'keep blob', key: await row.key(), blob: { id: blobId, size } }
    }
  }
}

/** Returns recorded problems by the ids of files and versions. */
async function knownProblems({ integrity }: Rows): Promise<Map<string, string>> {
  const known = new Map((await integrity.held()).map(({ id, problem }) => [id, problem]))
  for (const id of await integrity.fileIds()) known.set(id, (await integrity.byFile(id))?.problem ?? '')
  return known
}

async function problemOf(
  { objects, deep }: ObjectRepair,
  { sizes }: FoundObjects,
  row: StoredRow,
): Promise<FileProblem | undefined> {
  const isThere = row.blobId !== null && sizes.get(row.blobId) === row.size
  // A list may lack an object that is there.
  return isThere && !deep ? undefined : blobProblem(objects, row, { isRead: deep })
}

/** Keeps the row: a backup has the bytes, or an operator may bring the object back from a version of the bucket. */
function damage(
  { isInBackup }: ObjectRepair,
  { id, place, blobId, size, sha256 }: StoredRow,
  { known, ...damaged }: Pick<Damage, 'problem'> & { key: string; known: string | undefined },
): ObjectChange {
  const found = { id, place, ...damaged }
  // An id in a tampered database could lead elsewhere.
  if (blobId !== null && isBlobId(blobId) && isInBackup({ sha256, size }))
    return { kind: 'restore bytes', ...found, blob: { id: blobId, size }, sha256 }
  return known === found.problem
    ? { kind: 'leave', key: found.key, why: found.problem }
    : { kind: 'record damage', ...found }
}

async function* intact(
  { deep }: ObjectRepair,
  { id, place, key }: StoredRow,
  known = '',
): AsyncGenerator<ObjectChange> {
  const isSeen = deep || known === 'bytes are missing' || known === 'size differs'
  if (isSeen) yield { kind: 'clear damage', key: await key(), place, id }
  else yield { kind: 'leave', key: await key(), why: known }
}

/** Yields the rows of blobs that lead nowhere, and one line for all objects that no file has. */
async function* checkBlobs(
  { catalog, objects }: ObjectRepair,
  { sizes, used }: FoundObjects,
): AsyncGenerator<ObjectChange> {
  const known = new Set<string>()
  for await (const { id, state } of rowsOf(catalog.blobs.after)) {
    if (state !== 'kept') known.add(id)
    else if (!used.has(id) && !sizes.has(id) && (await objects.sizeOf(id)) === undefined)
      yield { kind: 'drop blob', key: `blobs/${id}`, id }
  }
  const strays = sizes.keys().filter((id) => !used.has(id) && !known.has(id))
  const count = strays.reduce((sum) => sum + 1, 0)
  if (count === 0) return
  const why =
    `it has ${countOf(count, 'object')} of no file, and objects have no names. An earlier database that knows them brings them back ` +
    '(--from)'
  yield { kind: 'leave', key: 'blobs', why }
}
