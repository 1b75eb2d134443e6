import type { Caller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import { leavingOf } from '../../http/exchange.ts'
import type { Visibility } from '../../platform/config.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { parseFolderKey } from '../../platform/names.ts'
import { type Arriving, admissionOf, whileArriving } from '../../reception/arriving.ts'
import { mayStoreLess, type OnConflict, storeReceived } from '../../reception/conflicts.ts'
import {
  bodyOf,
  declaredLength,
  receiveLimits,
  receivingFolder,
  recordFailure,
  withStaging,
} from '../../reception/receive.ts'
import type { StagedFile, Staging } from '../../store/bytes.ts'
import { type FolderView, findView } from '../../views/folders.ts'
import { ZipError, ZipTooLargeError } from '../../zip/error.ts'
import { readZip } from '../../zip/reader.ts'
import { ArchiveTree, type TreeFile } from './tree.ts'

/** Maximum ratio of unpacked bytes to the bytes received so far. */
const MAX_RATIO = 200

interface ImportRequest {
  request: Request
  /** Key of the folder to unpack into; the root when it is missing. */
  folder: string | undefined
  visibility: Visibility | undefined
  onConflict: OnConflict
}

/** Files and folders that an import made. */
interface Imported {
  folder: FolderView
  files: number
  /** Number of new folders. */
  folders: number
  /** Paths that were left out, when the request asks for that. */
  skipped?: string[]
}

/**
 * Unpacks the archive in a request's body into a folder. Each file streams into staging. When the whole archive has
 * arrived and is valid, all files are published together. The caller's history records the outcome as for an upload.
 *
 * @throws {Refusal} `invalid`, `conflict`, `too-large`, `no-space`.
 */
export function importArchive(deps: TreeContext, caller: Caller, sent: ImportRequest): Promise<Imported> {
  const { request, folder = '' } = sent
  let paths: string[] = []
  return recordFailure(deps, { caller, names: () => paths, toRefusal }, async () => {
    const target = await receivingFolder(deps, parseFolderKey(folder), sent.visibility)
    const length = declaredLength(request)
    return withStaging(deps, length, async (staging) => {
      const tree = new ArchiveTree(target)
      const { visibility, onConflict } = sent
      // Replaced files count no longer, as far as is known of them.
      const freed = () => (mayStoreLess(onConflict) ? Number.POSITIVE_INFINITY : 0)
      const files = await whileArriving(deps, { length, ...admissionOf(deps, caller, freed) }, (arriving) =>
        unpack(deps, { request, staging, tree, arriving }),
      )
      paths = files.map(({ path }) => path)
      await staging.sync()
      leavingOf(request).throwIfAborted()
      const { folders } = tree
      const labelled = files.map((file) => ({ ...file, label: file.path }))
      const received = { folders, files: labelled, visibility }
      const stored = await storeReceived(deps, caller, { received, onConflict })
      return {
        folder: await deps.store.read(() => findView(deps, { key: target.join('/') })),
        files: stored.files.length,
        folders: stored.folders,
        ...(onConflict === 'skip' && { skipped: stored.skipped }),
      }
    })
  })
}

interface Unpacking {
  request: Request
  staging: Staging
  tree: ArchiveTree
  arriving: Arriving
}

async function unpack(
  deps: TreeContext,
  { request, staging, tree, arriving }: Unpacking,
): Promise<(TreeFile & { staged: StagedFile })[]> {
  const files: (TreeFile & { staged: StagedFile })[] = []
  const limits = receiveLimits(deps)
  const leaving = leavingOf(request)
  for await (const { path, isDirectory, body } of readZip(bodyOf(request), { maxRatio: MAX_RATIO })) {
    leaving.throwIfAborted()
    if (isDirectory) {
      tree.addFolder(path)
      continue
    }
    files.push({ ...tree.addFile(path), staged: await staging.receive(arriving.through(body), limits) })
  }
  return files
}

function toRefusal(error: unknown): unknown {
  if (error instanceof ZipTooLargeError) return new Refusal('too-large', error.message)
  if (error instanceof ZipError) return refuseInvalid(error.message)
  return error
}
