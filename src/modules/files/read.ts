import type { Context, TreeContext } from '../../access/context.ts'
import { linkExpiry, signLink } from '../../access/signature.ts'
import type { Validators } from '../../http/conditional.ts'
import { fileResponse } from '../../http/file-response.ts'
import { iso } from '../../platform/time.ts'
import { contentType } from '../../store/bytes.ts'
import { FILE_TRAFFIC_DAYS, type FileRow, type Work } from '../../store/rows.ts'
import type { Located } from '../../store/tree.ts'
import { fileNotFound, hostingUrl, keyOfFile, requireFile, viewAt } from '../../views/files.ts'
import type { Pages } from '../../views/pages.ts'
import { everyDay, lastDays } from '../../views/times.ts'
import type { FileDetails } from './model.ts'

/** Caches and counts that the routes of files use. */
export interface Files {
  pages: Pages
  /** Counts of hosted requests, which are saved behind. */
  traffic: { flush: () => Promise<void> }
}

/** Returns a file with the details that lists leave out: its checksum, its uploader and its traffic. */
export async function readDetails(deps: Context & Files, file: Located<FileRow>): Promise<FileDetails> {
  const { id, sha256, uploadedBy } = file.row
  await deps.traffic.flush()
  const { from, dates } = lastDays(deps, FILE_TRAFFIC_DAYS)
  const counted = await deps.store.traffic.fileDaysSince(id, from)
  const days = everyDay(dates, counted, { requests: 0, bytes: 0 })
  const sum = (count: 'requests' | 'bytes') => days.reduce((total, day) => total + day[count], 0)
  return {
    file: viewAt(file),
    sha256,
    uploadedBy: uploadedBy === null ? null : await readUploader(deps, uploadedBy),
    traffic: { requests: sum('requests'), bytes: sum('bytes'), days },
  }
}

async function readUploader({ store }: Context, id: string): Promise<FileDetails['uploadedBy']> {
  const user = await store.users.byId(id)
  return { id, name: user?.name ?? null }
}

/**
 * Responds with one file as an attachment, with validators whatever its visibility.
 *
 * @throws {Refusal} `not-found`, also when the bytes are missing; `precondition-failed`,
 *   `range-not-satisfiable`.
 * @param shown Time that the client is shown for a state of the file.
 */
export async function downloadFile(
  deps: TreeContext,
  id: string,
  request: Request,
  shown?: Validators,
): Promise<Response> {
  const { file, key } = await deps.store.read(() => locate(deps, id))
  const opened = await deps.store.openFile({ ...file, key })
  if (!opened) throw fileNotFound()
  return fileResponse(request, opened, {
    name: file.name,
    mediaType: contentType(file),
    disposition: 'attachment',
    cacheControl: 'private, max-age=0, must-revalidate',
    revalidatable: true,
    now: deps.clock.now(),
    shown,
  })
}

function* locate(deps: TreeContext, id: string): Work<{ file: FileRow; key: string }> {
  const file = yield* requireFile(deps, { id })
  return { file, key: yield* keyOfFile(deps, file) }
}

/** Returns the default and the maximum lifetime of a signed link, in seconds. */
export function linkLifetimes({ store: { settings } }: Pick<Context, 'store'>) {
  const { defaultPresignSeconds, maxPresignSeconds } = settings.current()
  return { defaultExpiresIn: defaultPresignSeconds, maxExpiresIn: maxPresignSeconds }
}

/**
 * Signs a link that opens one file at its present key for a limited time.
 *
 * @param expiresIn Seconds; rounded down and clamped to between 1 and the instance's maximum.
 */
export function signFile(deps: Context, { row, key }: Located<FileRow>, expiresIn: number | undefined) {
  const expires = linkExpiry(deps, expiresIn)
  const signature = signLink(deps.secrets.link, { fileId: row.id, key, expires: String(expires) })
  return {
    url: `${hostingUrl(key)}?exp=${expires}&sig=${signature}`,
    expiresAt: iso(expires * 1000),
  }
}
