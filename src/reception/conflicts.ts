import type { Caller } from '../access/caller.ts'
import type { TreeContext } from '../access/context.ts'
import type { Visibility } from '../platform/config.ts'
import { isRefused, Refusal, refuseInvalid } from '../platform/errors.ts'
import { endOfSlice } from '../platform/time.ts'
import type { FileRow, Work } from '../store/rows.ts'
import { chooseNames, keyOf } from './free-names.ts'
import { isFree, publishReceived, type ReceivedFile, type ReceivedFiles, replaceBy } from './receive.ts'

/** Treatments of a name that is taken. */
const ON_CONFLICT = ['fail', 'replace', 'rename', 'skip'] as const

export type OnConflict = (typeof ON_CONFLICT)[number]

/** Returns true for a treatment that may store fewer bytes than were sent. */
export const mayStoreLess = (onConflict: string | undefined): boolean =>
  onConflict === 'skip' || onConflict === 'replace'

/** @throws {Refusal} `invalid` for anything but a treatment. */
export function readOnConflict(sent: string | undefined): OnConflict {
  const found = ON_CONFLICT.find((one) => one === (sent ?? 'fail'))
  if (found) return found
  throw refuseInvalid(`"onConflict" must be one of ${ON_CONFLICT.map((one) => `"${one}"`).join(', ')}`)
}

/**
 * Publishes received files: all of them or none, or with the treatment of taken names that the request asks for.
 *
 * @throws {Refusal} as `publishReceived`; `conflict` with `fail`, and when a folder or something unknown is at a key.
 */
export async function storeReceived(
  deps: TreeContext,
  caller: Caller,
  { received, onConflict }: { received: ReceivedFiles; onConflict: OnConflict },
): Promise<Stored> {
  if (onConflict !== 'fail' && received.files.length > 0)
    return resolveConflicts(deps, caller, { received, resolution: onConflict })
  const { files, folders } = await publishReceived(deps, caller, received)
  return { files, folders: folders.length, skipped: [] }
}

export function readVisibility(sent: string | undefined): Visibility | undefined {
  if (sent === undefined || sent === 'public' || sent === 'private') return sent
  throw refuseInvalid('"visibility" must be one of "public", "private"')
}

/** Maximum rounds, because other requests, also of other servers, take and free names meanwhile. */
const MAX_ROUNDS = { replace: 8, rename: 32, skip: 8 }
/** Treatment of a file whose name is taken. */
export type Resolution = keyof typeof MAX_ROUNDS
/** Pause after the first round, in milliseconds; later ones grow. An upload under way has its name on disk first. */
const PAUSE_MS = 5

/** Stored files in the order in which they were sent, and those that were left out. */
export interface Stored {
  files: FileRow[]
  /** Number of new folders. */
  folders: number
  skipped: string[]
}

/**
 * Publishes received files whose names may be taken. New names appear together; a file with a taken name is then replaced
 * on its own, has been renamed to `name (2)`, or is left out.
 *
 * @throws {Refusal} as `publishReceived`; `conflict` when a folder or something unknown is at a key.
 */
export async function resolveConflicts(
  deps: TreeContext,
  caller: Caller,
  { received, resolution }: { received: ReceivedFiles; resolution: Resolution },
): Promise<Stored> {
  const round = new Round(deps, caller, { received, twins: twinsOf(received.files, resolution) })
  for (let count = 1; round.pending.length > 0; count++) {
    try {
      await round.store(resolution)
    } catch (error) {
      if (count >= MAX_ROUNDS[resolution] || round.isBlocked || !isOvertaken(error)) throw error
      await Bun.sleep(PAUSE_MS * count)
    }
  }
  return round.outcome()
}

/** Returns the files that give way to another of the same name: `skip` takes the first, `replace` the last. */
function twinsOf(files: readonly ReceivedFile[], resolution: Resolution): Set<ReceivedFile> {
  if (resolution === 'rename') return new Set()
  const inOrder = resolution === 'skip' ? files.toReversed() : files
  const taken = new Map(inOrder.map((file) => [keyOf(file), file]))
  return new Set(files.filter((file) => taken.get(keyOf(file)) !== file))
}

/** True when another request may have taken a name, or deleted a file, since it was looked up. */
const isOvertaken = (error: unknown) => isRefused(error, 409, 404) && error.reason !== 'folder-not-found'

/** Rounds of one reception, which end when every file is stored or left out. */
class Round {
  readonly #deps: TreeContext
  readonly #caller: Caller
  readonly #received: ReceivedFiles
  readonly #stored = new Map<ReceivedFile, FileRow>()
  readonly #skipped: Set<ReceivedFile>
  #folders = 0
  /** True when no numbered name is free either, as below a file: another round would not help. */
  isBlocked = false

  constructor(
    deps: TreeContext,
    caller: Caller,
    { received, twins }: { received: ReceivedFiles; twins: Set<ReceivedFile> },
  ) {
    this.#deps = deps
    this.#caller = caller
    this.#received = received
    this.#skipped = twins
  }

  get pending(): ReceivedFile[] {
    return this.#received.files.filter((file) => !this.#stored.has(file) && !this.#skipped.has(file))
  }

  outcome(): Stored {
    const { files } = this.#received
    return {
      files: files.flatMap((file) => this.#stored.get(file) ?? []),
      folders: this.#folders,
      skipped: files.filter((file) => this.#skipped.has(file)).map(({ label }) => label),
    }
  }

  async publish(files: readonly ReceivedFile[], names = files.map(({ name }) => name)): Promise<void> {
    const placed = files.map((file, index) => ({ ...file, name: names[index] ?? file.name }))
    const published = await publishReceived(this.#deps, this.#caller, { ...this.#received, files: placed })
    this.#folders += published.folders.length
    for (const [index, row] of published.files.entries()) {
      const file = files[index]
      if (file) this.#stored.set(file, row)
    }
  }

  async store(resolution: Resolution): Promise<void> {
    const { pending } = this
    if (resolution === 'rename')
      return this.#deps.numbering.run(pending[0]?.folder.join('/') ?? '', async () =>
        this.publish(pending, await this.#freeNames(pending)),
      )
    const taken = new Map<ReceivedFile, FileRow | 'other'>()
    for (const file of pending) {
      const standing = await this.#standing(file)
      if (standing) taken.set(file, standing)
    }
    if (resolution === 'skip') for (const file of taken.keys()) this.#skipped.add(file)
    const free = pending.filter((file) => !taken.has(file) || taken.get(file) === 'other')
    const added = resolution === 'skip' ? free.filter((file) => !taken.has(file)) : free
    if (added.length > 0) await this.publish(added)
    else await this.#addFolders(resolution)
    if (resolution === 'replace') for (const [file, row] of taken) await this.#replace(file, row)
  }

  /** Creates the missing folders. With `skip`, it leaves out those in whose place a file is. */
  async #addFolders(resolution: 'replace' | 'skip'): Promise<void> {
    const missing: (readonly string[])[] = []
    for (const [index, folder] of this.#received.folders.entries()) {
      await endOfSlice(index)
      if ((await this.#deps.store.folders.idAt(folder)) !== undefined) continue
      if (
        resolution === 'replace' ||
        (await isFree(this.#deps, { folder: folder.slice(0, -1), name: folder.at(-1) ?? '' }))
      )
        missing.push(folder)
    }
    if (missing.length === 0) return
    const received = { ...this.#received, folders: missing, files: [] }
    this.#folders += (await publishReceived(this.#deps, this.#caller, received)).folders.length
  }

  async #replace(file: ReceivedFile, standing: FileRow | 'other'): Promise<void> {
    if (standing === 'other') return
    const { visibility, also } = this.#received
    const { resumables } = this.#deps.store
    const { row } = await replaceBy(this.#deps, this.#caller, {
      id: standing.id,
      staged: file.staged,
      visibility,
      ...(also && {
        alongside: function* () {
          const { resumable, alongside } = yield* also(standing)
          if (resumable) yield* resumables.finish(resumable)
          if (alongside) yield* alongside()
        },
      }),
    })
    this.#stored.set(file, row)
  }

  /** Returns the file with the name of a received one, or `other` when something else has it. */
  async #standing({ folder, name }: ReceivedFile): Promise<FileRow | 'other' | undefined> {
    const { store } = this.#deps
    const file = await store.read(function* (): Work<FileRow | undefined> {
      const folderId = yield* store.folders.idAt(folder)
      return folderId === undefined ? undefined : yield* store.files.byName(folderId, name)
    })
    return file ?? ((await this.#isTaken({ folder, name })) ? 'other' : undefined)
  }

  /** @throws {Refusal} `conflict` when a file is in the place of the folder: no name is free below it. */
  async #isTaken({ folder, name }: Pick<ReceivedFile, 'folder' | 'name'>): Promise<boolean> {
    if (await isFree(this.#deps, { folder, name })) return false
    this.isBlocked = true
    await this.#deps.store.assertDestination({ folder })
    this.isBlocked = false
    return true
  }

  #freeNames(files: readonly ReceivedFile[]): Promise<string[]> {
    // A name that is sent belongs to the first file that has it, not to one that is renamed.
    const sentNames = new Set(files.map(keyOf))
    return chooseNames(this.#deps, files, {
      isTaken: async (place, sent) =>
        (place.name !== sent && sentNames.has(keyOf(place))) || this.#isTaken(place),
      refuse: (name) => {
        this.isBlocked = true
        return new Refusal('name-taken', `"${name}" is taken, and so is each name with a number`)
      },
    })
  }
}
