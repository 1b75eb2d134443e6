import { describeFolders, foldersOf, isLimitable, MAX_FOLDERS } from '../access/grants.ts'
import { normalizeEmail } from '../access/profile.ts'
import { operatorEntry } from '../access/security-log.ts'
import type { Work } from '../catalog/engine/query.ts'
import type { UserRow } from '../catalog/people/users.ts'
import type { FolderWithRights } from '../cli/arguments.ts'
import { UsageFailure } from '../cli/failure.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { type ChangeableCatalog, changeCatalog } from './open-catalog.ts'

export interface FoldersCommand extends Services {
  email: string
  letIn: readonly FolderWithRights[]
  /** Keys of folders. */
  letOut: readonly string[]
  /** True to let the account into everything. */
  everything: boolean
}

/**
 * Runs `admin folders`: limits an account to folders, or lets it into everything again, and prints what it reaches. The
 * folders must exist.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when a server runs, and when there is no such account or folder; {UsageFailure}.
 */
export async function runFolders(config: Config, command: FoldersCommand): Promise<number> {
  const { email, everything, log } = command
  const isLimiting = command.letIn.length + command.letOut.length > 0
  if (everything && isLimiting)
    throw new UsageFailure('--everything cannot be used with --let-in or --let-out')
  await changeCatalog(config, { clock: command.clock, isNew: false }, async (catalog) => {
    const folders = await catalog.transact(function* () {
      const user = yield* catalog.users.byEmail(normalizeEmail(email))
      if (!user) throw new StartError(`There is no account "${email}"`)
      const changed = everything || isLimiting ? yield* changeFolders(catalog, user, command) : user
      return yield* foldersOf({ store: catalog }, changed)
    })
    log.info(`${normalizeEmail(email)} reaches ${describeFolders(folders)}`)
  })
  return 0
}

function* changeFolders(catalog: ChangeableCatalog, user: UserRow, command: FoldersCommand): Work<UserRow> {
  const { grants, securityEvents, users } = catalog
  const { id: userId } = user
  const { everything, clock } = command
  if (!everything && !isLimitable(user))
    throw new StartError(`${user.email} manages the instance, and so reaches everything`)
  if (!user.limited && !everything && command.letIn.length === 0)
    throw new StartError(`${user.email} reaches everything: limit it with --let-in first`)
  if (everything) yield* grants.removeOfUser(userId)
  for (const key of command.letOut) {
    const folderId = yield* requireFolder(catalog, key)
    const rows = yield* grants.of(userId)
    if (rows.some((row) => row.folderId === folderId && row.byGroups))
      throw new StartError(`The rights in "${key}" come from groups: change the groups at the provider`)
    yield* grants.remove(folderId, userId)
  }
  for (const { key, rights } of command.letIn) {
    const folderId = yield* requireFolder(catalog, key)
    yield* grants.set({ folderId, userId, rights, createdAt: clock.now(), createdBy: null })
  }
  const changed = (yield* users.update(userId, { limited: !everything, updatedAt: clock.now() })) ?? user
  const folders = yield* foldersOf({ store: catalog }, changed)
  if (folders && folders.length > MAX_FOLDERS)
    throw new StartError(`An account has at most ${MAX_FOLDERS} folders`)
  const entry = operatorEntry(command, 'folders.changed', user)
  yield* securityEvents.insert({ ...entry, detail: describeFolders(folders) })
  return changed
}

/** Returns the id of the folder at a key, which is not that of the root. @throws {StartError} */
function* requireFolder({ folders }: ChangeableCatalog, key: string): Work<string> {
  const segments = key.split('/').filter((segment) => segment !== '')
  const id = segments.length > 0 ? yield* folders.idAt(segments) : undefined
  if (id === undefined) throw new StartError(`There is no folder "${key}"`)
  return id
}
