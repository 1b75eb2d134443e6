import { assertStillAllowed, type Caller, callerOf, scopeProblem } from '../../../access/caller.ts'
import type { Context, TreeContext } from '../../../access/context.ts'
import { within } from '../../../access/reach.ts'
import { isRefused, Refusal, refuseConflict } from '../../../platform/errors.ts'
import { segmentsOf } from '../../../platform/names.ts'
import { DAY_MS } from '../../../platform/time.ts'
import type { Admission } from '../../../reception/arriving.ts'
import { type Stored, storeReceived } from '../../../reception/conflicts.ts'
import type { SentFile } from '../../../reception/form.ts'
import type { Also } from '../../../reception/receive.ts'
import { strangerAdmission } from '../../../reception/strangers.ts'
import type { UploadLinkRow, Work } from '../../../store/rows.ts'
import { SIGNED_MS } from '../service.ts'
import { readToken, type Signed } from './token.ts'

/** Time after its expiry until which a body that used a link may be published. */
const LATEST_MS = DAY_MS
/** Maximum rounds while the folder moves. */
const MAX_ROUNDS = 8

/** Link that a request uses, with the account that signed it, authenticated again. */
export interface Link extends Signed {
  caller: Caller
  tree: TreeContext
}

const refuseEnded = () => new Refusal('upload-link-ended')

/** Returns the content of a link, whatever became of it since. @throws {Refusal} `upload-link-not-found`. */
export function contentOf({ secrets }: Pick<Context, 'secrets'>, token: string): Signed {
  const signed = readToken(secrets.upload, token)
  if (!signed) throw new Refusal('upload-link-not-found')
  return signed
}

/**
 * Opens a link for a request.
 *
 * @param id Resumable upload by the link that the request is about: it may go on after the expiry, and report its file.
 * @throws {Refusal} `upload-link-expired`, `upload-link-used`, `upload-link-ended`.
 */
export async function openLink(deps: Context, signed: Signed, id?: string): Promise<Link> {
  const { clock, store } = deps
  const expiresAt = signed.expires * 1000 + (id === undefined ? 0 : SIGNED_MS)
  if (clock.now() >= expiresAt) throw new Refusal('upload-link-expired')
  const caller = await store.read(function* () {
    const used = yield* store.uploadLinks.byNonce(signed.nonce)
    if (used && !(yield* isResult(deps, used, id))) throw new Refusal('upload-link-used')
    return yield* callerOf(deps, signed)
  })
  if (!caller || scopeProblem(caller, 'files:write') !== undefined) throw refuseEnded()
  const link = { ...signed, caller, tree: within(deps, caller) }
  await link.tree.store.read(() => folderOf(link))
  return link
}

/** Returns true if a resumable upload is the one that a link was used for. */
function* isResult({ store }: Context, used: UploadLinkRow, id: string | undefined): Work<boolean> {
  const row = id === undefined ? undefined : yield* store.resumables.byId(id)
  return row?.visitor === used.nonce && row.fileId === used.fileId
}

/** Returns the names from the root to the folder of a link. @throws {Refusal} `upload-link-ended`. */
export function* folderOf({ tree: { store }, folderId, rules }: Link): Work<string[]> {
  const key = (yield* store.hasRight(folderId, 'write')) ? yield* store.folders.keyOf(folderId) : undefined
  if (key === undefined) throw refuseEnded()
  if (rules.visibility === 'public' && !(yield* store.hasRight(folderId, 'share'))) throw refuseEnded()
  return segmentsOf(key)
}

/** Returns the admission of bytes that arrive by a link. */
export const admissionOf = ({ tree, caller, nonce, userId, rules }: Link): Admission =>
  strangerAdmission(
    tree,
    { id: nonce, userId },
    function* () {
      yield* assertStillAllowed(tree, caller, 'files:write')
      return { maxBytes: rules.maxBytes ?? null }
    },
    rules.onConflict === 'replace' ? Number.POSITIVE_INFINITY : 0,
  )

/**
 * Publishes the file of a link, and uses the link up in the same transaction.
 *
 * @param upload Resumable upload that becomes the file.
 */
export async function publish(
  link: Link,
  { name, staged }: SentFile,
  upload?: Omit<NonNullable<Also['resumable']>, 'fileId'>,
): Promise<Stored> {
  const { tree, caller, rules, nonce } = link
  const expiresAt = link.expires * 1000 + LATEST_MS
  const moved = refuseConflict('The folder has moved')
  function* also({ id: fileId, folderId }: { id: string; folderId: string }): Work<Also> {
    if (folderId !== link.folderId) throw moved
    // From then on nothing tells that the link was used.
    if (tree.clock.now() >= expiresAt) throw new Refusal('upload-link-expired')
    return {
      ...(upload && { resumable: { ...upload, fileId } }),
      alongside: () => tree.store.uploadLinks.use({ nonce, fileId, expiresAt }),
    }
  }
  for (let round = 1; ; round += 1) {
    const folder = await tree.store.read(() => folderOf(link))
    const files = [{ name, staged, folder, label: name }]
    const received = { folders: [folder], files, visibility: rules.visibility, also }
    try {
      return await storeReceived(tree, caller, { received, onConflict: rules.onConflict })
    } catch (error) {
      if (error !== moved || round === MAX_ROUNDS) throw error
    }
  }
}

/** Converts refusals of the account to those of its link: a stranger learns nothing about the account. */
export function asStranger(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { reason } = error
  if (reason === 'quota-exceeded') return new Refusal(reason, 'The file does not fit: the storage is full')
  return isRefused(error, 401, 403) || reason === 'folder-not-found' ? refuseEnded() : error
}
