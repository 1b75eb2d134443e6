import { scopesOf } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { whole } from '../../access/reach.ts'
import { isRefused, Refusal, refuseConflict, refuseForNow, refuseInvalid } from '../../platform/errors.ts'
import { describeNames, isAtOrBelow, isRuleFile, joinKey } from '../../platform/names.ts'
import { type Arriving, whileArriving } from '../../reception/arriving.ts'
import { boundaryOf, MAX_PART_HEADER_BYTES, receiveForm, type SentFile } from '../../reception/form.ts'
import { chooseNames } from '../../reception/free-names.ts'
import { declaredLength, isFree, withStaging } from '../../reception/receive.ts'
import { budgetsOf } from '../../reception/strangers.ts'
import { assertType } from '../../reception/types.ts'
import type { Staging } from '../../store/bytes.ts'
import {
  type FileRow,
  type Finished,
  type Reserved,
  refuseFull,
  type ShareRow,
  type Work,
} from '../../store/rows.ts'
import { eventFiles, eventOf, eventShare } from '../../views/events.ts'
import { findOpen, newVisitor, visitOpened } from './access.ts'
import { admissionOf } from './budgets.ts'
import { visitorOf } from './events.ts'
import { shareNotFound } from './rules.ts'
import { type Visit, visitRow } from './visits.ts'

/** Maximum rounds while other uploads take the same names. */
const MAX_ROUNDS = 32
/** Pause after the first round, in milliseconds; later ones grow. */
const PAUSE_MS = 5

/** Files that a share has received, by the names that were sent, and the cookies that show them to their visitor. */
export interface Receipt {
  files: Pick<FileRow, 'name' | 'size'>[]
  cookies: string[]
}

/**
 * Receives the files of a visitor's form into the folder of a share: all of them or none. They are private, a taken
 * name gets a number, and the limits hold over all uploads at once.
 *
 * @throws {Refusal} `not-found`, `unauthorized`, `forbidden` for a share that takes none, `too-large` past a limit,
 *   `unsupported-media-type`, `invalid`, `no-space`.
 */
export async function receiveFiles(deps: Context, slug: string, request: Request): Promise<Receipt> {
  const boundary = boundaryOf(request)
  const visit = await visitSending(deps, slug, request)
  const { share, cookies } = visit
  const length = declaredLength(request)
  if (length > limitsOf(deps, share).bytes + deps.config.maxFilesPerUpload * MAX_PART_HEADER_BYTES)
    throw await deps.store.read(() => refusalOfFull(deps, share, { files: 1, bytes: length }))
  const bytes = length - (deps.config.maxFilesPerUpload + 1) * MAX_PART_HEADER_BYTES
  await deps.store.quotas.assertRoom({ userId: share.userId, bytes, isOfVisitors: true })
  return withStaging(deps, length, async (staging) => {
    const arrived = await whileArriving(deps, { length, ...admissionOf(visit) }, (arriving) =>
      readFiles(deps, share, { staging, request, boundary, arriving }),
    )
    if (arrived.length === 0) throw refuseInvalid('Choose at least one file')
    await staging.sync()
    await publish(visit, arrived)
    return { files: arrived.map(({ name, staged: { size } }) => ({ name, size })), cookies }
  })
}

/**
 * Finds the open share at a slug for a visitor that sends files. One without a cookie becomes a new visitor.
 *
 * @throws {Refusal} `not-found`, `unauthorized`, `forbidden` for a share that takes no files.
 */
export async function visitSending(deps: Context, slug: string, request: Request): Promise<Visit> {
  const visit = await visitOpened(deps, slug, request)
  if (!visit.share.canWrite) throw new Refusal('share-takes-no-files')
  return visit.hasCookie ? visit : { ...visit, ...newVisitor(deps, visit.share), hasCookie: true }
}

/** Files and bytes that a share takes more, and those that one file may have. */
export interface Room {
  files: number
  bytes: number
  fileBytes: number
  /** Part of its limits that uploads under way reserve. */
  reserved: Reserved
}

/** Returns the room of a share; undefined while its folder takes no files, or its owner may not write. */
export function* roomOf(deps: TreeContext, share: ShareRow): Work<Room | undefined> {
  const { store } = deps
  const { owner } = yield* findOpen(deps, share.slug)
  const key = yield* keyToWrite(deps, share)
  if (key === undefined || !scopesOf(owner).includes('files:write')) return undefined
  const left = leftOf(share)
  const budgets = yield* budgetsOf(deps, share)
  return {
    ...left,
    fileBytes: Math.min(left.bytes, store.settings.current().maxUploadBytes, budgets.own),
    reserved: yield* store.resumables.reservedOf(share.id),
  }
}

/** Returns the refusal of files that are more than a share takes now: uploads under way may only reserve the room. */
export function* refusalOfFull(
  { store }: Context,
  share: ShareRow,
  sent: { files: number; bytes: number },
): Work<Refusal> {
  const left = leftOf(share)
  const reserved = yield* store.resumables.reservedOf(share.id)
  const isReserved = left.files + reserved.files >= sent.files && left.bytes + reserved.bytes >= sent.bytes
  return isReserved && reserved.files > 0
    ? new Refusal('share-full', 'Uploads in progress use the last room in this share. Try again later')
    : refuseFull()
}

const leftOf = ({ maxFiles, receivedFiles, maxBytes, receivedBytes }: ShareRow) => ({
  files: (maxFiles ?? Number.POSITIVE_INFINITY) - receivedFiles,
  bytes: (maxBytes ?? Number.POSITIVE_INFINITY) - receivedBytes,
})

/** Returns how many files and bytes a share takes now, in one request at most. */
function limitsOf({ config, store }: Context, share: ShareRow) {
  const { maxUploadBytes } = store.settings.current()
  const left = leftOf(share)
  const files = Math.min(config.maxFilesPerUpload, left.files)
  return { files, bytes: Math.min(files * maxUploadBytes, left.bytes), maxUploadBytes }
}

interface Sending {
  staging: Staging
  request: Request
  boundary: string
  arriving: Arriving
}

function readFiles(
  deps: Context,
  share: ShareRow,
  { staging, request, boundary, arriving }: Sending,
): Promise<SentFile[]> {
  const limits = limitsOf(deps, share)
  const claim = deps.store.createClaim()
  let left = limits.bytes
  return receiveForm(deps, {
    request,
    boundary,
    maxFields: 0,
    readField: async ({ body }) => {
      for await (const chunk of body)
        if (chunk.length > 0) throw refuseInvalid('The form may have files alone')
    },
    receive: async (name, body, before) => {
      assertType(share, name, 'share')
      const whenFull = () =>
        deps.store.read(() => refusalOfFull(deps, share, { files: before.length + 1, bytes: 1 }))
      if (before.length >= limits.files) throw await whenFull()
      const maxBytes = Math.min(left, limits.maxUploadBytes)
      const staged = await staging
        .receive(arriving.through(body), { maxBytes, claim })
        .catch(async (error) => {
          const isPastLimit = isRefused(error, 413)
          throw isPastLimit && maxBytes < limits.maxUploadBytes ? await whenFull() : error
        })
      left -= staged.size
      return staged
    },
  })
}

/**
 * Publishes files under free names. Other uploads may take a name in between: then it looks for names again.
 *
 * @param upload Resumable upload that becomes the only file; its place in the share is reserved.
 */
export async function publish(
  visit: Visit,
  arrived: readonly SentFile[],
  upload?: Omit<Finished, 'fileId'>,
): Promise<void> {
  const deps = visit.tree
  for (let round = 1; ; round += 1) {
    const folder = await deps.store.read(() => folderOf(deps, visit.share))
    try {
      return await deps.numbering.run(folder.join('/'), async () => {
        const places = arrived.map(({ name }) => ({ folder, name }))
        const names = await chooseNames(deps, places, {
          isTaken: async (place) => isRuleFile(place.name) || !(await isFree(deps, place)),
          refuse: (name) => refuseInvalid(`No name is free for "${name}"`),
        })
        const files = arrived.map(({ staged }, index) => ({ folder, name: names[index] ?? '', staged }))
        const sentNames = new Map(files.map(({ name }, index) => [name, arrived[index]?.name]))
        await deps.store.publishUpload({
          folders: [folder],
          files,
          uploadedBy: visit.share.userId,
          decide: (rows) => decide({ visit, rows, sentNames, upload }),
        })
      })
    } catch (error) {
      if (!isRefused(error, 409) || round === MAX_ROUNDS) throw error
      await Bun.sleep(PAUSE_MS * round)
    }
  }
}

/** Returns the names from the root to the folder of a share. @throws {Refusal} `unavailable` while it takes no files. */
export function* folderOf(tree: TreeContext, share: ShareRow): Work<string[]> {
  const key = yield* keyToWrite(tree, share)
  if (key === undefined) throw refuseForNow('This share can take no files now', undefined)
  return key === '' ? [] : key.split('/')
}

/** Returns the key of a share's folder; undefined while that takes no files. */
function* keyToWrite(deps: TreeContext, { folderId }: ShareRow): Work<string | undefined> {
  const { store } = deps
  if (folderId === null || !(yield* store.hasRight(folderId, 'write'))) return undefined
  const key = yield* store.folders.keyOf(folderId)
  return key !== undefined && (yield* isInLockedSite(deps, key)) ? undefined : key
}

/** Returns true for a folder whose private files a site with a password shows: a stranger must not write its pages. */
function* isInLockedSite(deps: TreeContext, key: string): Work<boolean> {
  const { sites, folders } = whole(deps).store
  for (const { passwordHash, folderId } of yield* sites.all()) {
    const shown = passwordHash === null ? undefined : yield* folders.keyOf(folderId)
    if (shown !== undefined && isAtOrBelow(key, shown)) return true
  }
  return false
}

type NewRow = Pick<FileRow, 'id' | 'folderId' | 'name' | 'size' | 'mimeType'>

/** Authorizes a publication within its transaction: the share may have ended since, or its folder moved. */
interface Decision {
  visit: Visit
  rows: readonly NewRow[]
  /** Names that the visitor sent, by the stored ones. */
  sentNames: ReadonlyMap<string, string | undefined>
  upload: Omit<Finished, 'fileId'> | undefined
}

function* decide({ visit, rows, sentNames, upload }: Decision) {
  const deps = visit.tree
  const { share, owner } = yield* findOpen(deps, visit.share.slug)
  if (!share.canWrite || !scopesOf(owner).includes('files:write')) throw shareNotFound()
  if (rows.some(({ folderId }) => folderId !== share.folderId)) throw refuseConflict('The folder has moved')
  const visits = rows.map(({ id, name, size }) => {
    const sent = sentNames.get(name) ?? name
    assertType(share, sent, 'share')
    const sentName = sent === name ? null : sent
    return visitRow(deps, visit, { what: 'uploaded', fileId: id, name, sentName, bytes: size })
  })
  const { target, detail } = describeNames(rows.map(({ name }) => name))
  const folder = (yield* folderOf(deps, share)).join('/')
  const files = eventFiles(rows, ({ name }) => joinKey(folder, name))
  const data = { share: eventShare(share), ...files, ...visitorOf(visit.device) }
  const received = `Received by the share "${share.title ?? share.slug}"`
  return {
    visibility: 'private' as const,
    activity: {
      type: 'upload.succeeded',
      target,
      detail: detail === null ? received : `${received}: ${detail}`,
    },
    share: {
      id: share.id,
      bytes: rows.reduce((sum, { size }) => sum + size, 0),
      visits,
      isReserved: upload !== undefined,
    },
    event: eventOf(deps, 'share.received', data, share.notify),
    ...(upload && rows[0] && { resumable: { ...upload, fileId: rows[0].id } }),
  }
}
