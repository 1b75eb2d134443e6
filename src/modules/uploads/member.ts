import { assertStillAllowed, type Caller, principalOf } from '../../access/caller.ts'
import { Refusal } from '../../platform/errors.ts'
import { assertName, joinKey, parseFolderKey } from '../../platform/names.ts'
import { admissionOf } from '../../reception/arriving.ts'
import { readVisibility } from '../../reception/conflicts.ts'
import { lastComponent, receivingFolder, recordFailure, uploadEvent } from '../../reception/receive.ts'
import type { ResumableRow, Work } from '../../store/rows.ts'
import { locateFile } from '../../views/files.ts'
import { assertPublishable, assertReached, freedBy, replaceByUpload, replacedBy } from './replacement.ts'
import type { UploadsContext } from './resumables.ts'
import type { Announcement, Arrived, Attempt, Sender } from './sender.ts'
import { LIFETIME_MS } from './service.ts'

/** Maximum unfinished uploads of one account. */
const MAX_UNFINISHED = 1000

/** Account that sends uploads with a session or an API key. */
export class Member implements Sender {
  readonly patienceMs = LIFETIME_MS
  readonly #deps: UploadsContext
  readonly #caller: Caller

  constructor(deps: UploadsContext, caller: Caller) {
    this.#deps = deps
    this.#caller = caller
  }

  get identity() {
    return { ...principalOf(this.#caller), shareId: null, visitor: null, address: null }
  }

  async announce(metadata: ReadonlyMap<string, string>) {
    const id = metadata.get('replaces')
    if (id !== undefined) {
      const { row, key } = await locateFile(this.#deps, { id })
      return { name: row.name, folder: key.split('/').slice(0, -1).join('/'), visibility: null }
    }
    const name = lastComponent(metadata.get('filename') ?? metadata.get('name') ?? '')
    assertName(name, 'The file name in "Upload-Metadata"')
    const named = parseFolderKey(metadata.get('folder') ?? '')
    const visibility = readVisibility(metadata.get('visibility'))
    const folder = await receivingFolder(this.#deps, named, visibility)
    return { name, folder: folder.join('/'), visibility: visibility ?? null }
  }

  assertReached(row: ResumableRow): Promise<void> {
    return assertReached(this.#deps, row)
  }

  *authorize(): Work<void> {
    yield* assertStillAllowed(this.#deps, this.#caller, 'files:write')
    if ((yield* this.#deps.store.resumables.countUnfinished(this.#caller.user.id)) >= MAX_UNFINISHED)
      throw new Refusal('too-many', `An account may have at most ${MAX_UNFINISHED} unfinished uploads`)
  }

  assertPublishable(upload: Omit<Announcement, 'length'>): Promise<void> {
    return assertPublishable(this.#deps, upload)
  }

  async admission(row: Pick<ResumableRow, 'metadata'>) {
    const freed = await freedBy(this.#deps, row)
    // Pieces stay without a publication, so even small ones are checked.
    return { ...admissionOf(this.#deps, this.#caller, () => freed), unchecked: 0 }
  }

  recordFailure<Answer>(attempt: Attempt, receive: () => Promise<Answer>): Promise<Answer> {
    return recordFailure(this.#deps, { caller: this.#caller, ...attempt }, receive)
  }

  async publish(arrived: Arrived): Promise<void> {
    // As for a form: before the caller learns of conflicts, and in the publishing transaction.
    await this.#deps.store.read(() => assertStillAllowed(this.#deps, this.#caller, 'files:write'))
    const replaced = replacedBy(arrived.row)
    if (replaced !== undefined) await replaceByUpload(this.#deps, this.#caller, replaced, arrived)
    else await this.#publishNew(arrived)
  }

  async #publishNew({ row, staged, ...finished }: Arrived): Promise<void> {
    const deps = this.#deps
    const caller = this.#caller
    const userId = caller.user.id
    const folder = parseFolderKey(row.folder)
    await deps.store.publishUpload({
      folders: [folder],
      files: [{ folder, name: row.name, staged }],
      uploadedBy: userId,
      visibility: row.visibility ?? undefined,
      decide: function* ([file]) {
        yield* assertStillAllowed(deps, caller, 'files:write')
        const { defaultVisibility } = yield* deps.store.settings.inTransaction()
        return {
          visibility: row.visibility ?? defaultVisibility,
          activity: { type: 'upload.succeeded', target: row.name, detail: null },
          ...(file && {
            resumable: { id: row.id, fileId: file.id, ...finished },
            event: yield* uploadEvent(deps, userId, {
              rows: [file],
              keyOf: () => joinKey(row.folder, row.name),
            }),
          }),
        }
      },
    })
  }
}
