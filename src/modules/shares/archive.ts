import { distinctIds } from '../../access/batch.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import type { ShareRow, Work } from '../../store/rows.ts'
import { fileNotFound } from '../../views/files.ts'
import { archiveItems } from '../archives/items.ts'
import type { ArchiveResponder } from '../archives/respond.ts'
import { findFolder, requireFile, visitOpened } from './access.ts'
import { type Content, counted, itemsOf } from './content.ts'
import type { Downloads } from './downloads.ts'

interface ArchiveRequest {
  slug: string
  /** Ids of files and folders in the share; all of it without them. */
  ids: string[] | undefined
  request: Request
}

/**
 * Responds with files and folders of a share in one archive, which counts as one download when all of it has left.
 *
 * @throws {Refusal} `not-found`, `unauthorized`, `invalid`.
 */
export async function serveArchive(
  deps: Context,
  { downloads, respondWithArchive }: { downloads: Downloads; respondWithArchive: ArchiveResponder },
  { slug, ids, request }: ArchiveRequest,
): Promise<Response> {
  const distinct = ids && distinctIds(ids, deps.config.maxDownloadIds)
  const chosenIds = distinct?.toSorted().join() ?? ''
  const item = `archive ${new Bun.CryptoHasher('sha256').update(chosenIds).digest('base64url')}`
  const visit = await visitOpened(deps, slug, request, item)
  const { tree, share } = visit
  if (!share.canRead) throw fileNotFound()
  const response = await respondWithArchive(request, async (attempt) => {
    const content = await deps.store.read(() =>
      distinct ? chosen(tree, share, distinct) : itemsOf(tree, share),
    )
    const { files, folders } = content
    if (files.length + folders.length === 0) throw refuseInvalid('The share has no files now')
    return archiveItems(tree, { files, folders, name: nameOf(share, content) }, attempt)
  })
  const size = Number(response.headers.get('content-length'))
  const download = { item, size, name: nameOf(share) }
  return counted({ visit, downloads, download, request, response })
}

/** Returns the archive's name: that of the only folder, or the title. */
function nameOf({ title }: ShareRow, content?: Content): string {
  const [only, ...others] = content?.folders ?? []
  return only && others.length === 0 && content?.files.length === 0 ? only.name : (title ?? 'files')
}

function* chosen(deps: TreeContext, share: ShareRow, ids: readonly string[]): Work<Content> {
  const content: Content = { files: [], folders: [], next: null }
  for (const id of ids) {
    const folder = yield* findFolder(deps, share, id)
    if (folder) content.folders.push(folder)
    else content.files.push(yield* requireFile(deps, share, id))
  }
  return content
}
