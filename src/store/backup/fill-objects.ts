import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type BlobStaging, type Blobs, createBlobId, isBlobId } from '../../blobs/blobs.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { Random } from '../../platform/random.ts'
import type { VolumePaths } from '../../volume/layout.ts'
import type { OpenedFile } from '../content.ts'
import { sizesOf } from '../objects/verify.ts'
import type { ObjectStore } from '../store.ts'
import { heldPath } from '../trash/rows.ts'
import { findKey } from '../tree.ts'
import type { Origin } from './origin.ts'

interface FillOptions {
  /** Catalog that no server uses yet. */
  catalog: Catalog
  paths: VolumePaths
  objects: ObjectStore
  origin: Origin
  random: Random
}

/** Row whose bytes become an object. */
interface Source {
  place: 'files' | 'versions' | 'trashed'
  row: Pick<FileRow, 'id' | 'blobId' | 'size' | 'sha256'>
  /** Time of the bytes, in milliseconds since 1970. */
  time: number
  open: () => Promise<OpenedFile | undefined>
}

/** Rows per batch of uploads. */
const BATCH_ROWS = 256
/** Objects that are sent at a time. */
const AT_ONCE = 16

/**
 * Sends the bytes of all rows to an object store, and records their objects. Objects that are there are not sent again, so an
 * interrupted run continues. A row whose bytes are missing or damaged gets an object that is missing.
 *
 * @throws {StartError} when the store cannot be used, or has the objects of another instance.
 * @throws {Refusal} `unavailable` when it does not respond.
 */
export async function fillObjects(options: FillOptions): Promise<void> {
  const { catalog, paths, objects, random } = options
  const blobs = await objects.open({
    ...{ tmp: paths.tmp, cache: join(paths.root, 'cache') },
    ...{ volumeId: (await catalog.instance.get('volumeId')) ?? '', isNew: true, owner: random.id() },
  })
  try {
    await catalog.transact(() => catalog.blobs.clear())
    const known = await sizesOf(blobs.reader)
    for (const read of [filesOf, versionsOf, trashedOf])
      for (let last = ''; ; ) {
        const batch = await read(options, last)
        await sendBatch(options, { blobs, known }, batch)
        if (batch.length < BATCH_ROWS) break
        last = batch.at(-1)?.row.id ?? ''
      }
  } finally {
    blobs.close()
  }
}

async function filesOf({ catalog, origin }: FillOptions, last: string): Promise<Source[]> {
  const rows = await catalog.files.after(last, BATCH_ROWS)
  return rows.map((row) => ({
    place: 'files',
    row,
    time: row.updatedAt,
    open: async () => {
      const key = await catalog.read(() => findKey(catalog, row))
      return key === undefined ? undefined : origin.ofFile(row, key)
    },
  }))
}

async function versionsOf({ catalog, origin }: FillOptions, last: string): Promise<Source[]> {
  const rows = await catalog.versions.after(last, BATCH_ROWS)
  return rows.map((row) => ({
    place: 'versions',
    row,
    time: row.writtenAt,
    open: async () => origin.ofVersion(row),
  }))
}

async function trashedOf({ catalog, origin }: FillOptions, last: string): Promise<Source[]> {
  const rows = await catalog.trash.filesAfter(last, BATCH_ROWS)
  return rows.map((row) => ({
    place: 'trashed',
    row,
    time: row.updatedAt,
    open: async () => {
      const path = await catalog.read(() => heldPath(catalog, row))
      return path === undefined ? undefined : origin.ofTrashed(row, path)
    },
  }))
}

async function sendBatch(
  { catalog, random }: FillOptions,
  { blobs, known }: { blobs: Blobs; known: ReadonlyMap<string, number> },
  batch: readonly Source[],
): Promise<void> {
  const found = batch.map((source) => ({ ...source, id: blobIdOf(source) }))
  // An object of another length stays, and is reported as damaged.
  const missing = found.filter(({ id }) => !known.has(id))
  const staging = await blobs.stage(random.id(), async () => {})
  try {
    for (let start = 0; start < missing.length; start += AT_ONCE) {
      const some = missing.slice(start, start + AT_ONCE)
      // All of them end before the folder of the staging is removed.
      const sent = await Promise.allSettled(some.map((source) => send(staging, source)))
      for (const outcome of sent) if (outcome.status === 'rejected') throw outcome.reason
    }
    await staging.sync()
  } finally {
    await staging.discard()
  }
  await catalog.transact(function* () {
    for (const { place, id, row, time } of found) {
      yield* catalog.blobs.insert({
        ...{ id, state: 'kept', node: '', uploadId: null, size: row.size },
        // The same in each run, so that a repeated one makes the same rows.
        ...{ createdAt: Math.trunc(time), notBefore: 0 },
      })
      yield* catalog.blobs.attach(place, row.id, id)
    }
  })
}

/** Sends the bytes of a row, unless they are missing or damaged. */
async function send(staging: BlobStaging, { id, row, open }: Source & { id: string }): Promise<void> {
  if ((await (await open())?.sha256()) !== row.sha256) return
  const opened = await open()
  if (opened) await staging.receive(opened.chunks(), { maxBytes: row.size, claim: () => {} }, id)
}

/** Returns the id of a row's blob, or derives one from the row, so that an interrupted run finds what it has sent. */
function blobIdOf({ row, time }: Source): string {
  // An id in a tampered backup could lead elsewhere.
  if (row.blobId !== null && isBlobId(row.blobId)) return row.blobId
  const digest = createHash('sha256').update(`${row.id} ${row.sha256}`).digest()
  return createBlobId(Math.max(0, Math.trunc(time)), { bytes: (count) => digest.subarray(0, count) })
}
