import { createPasswords } from '../access/passwords.ts'
import { normalizeEmail } from '../access/profile.ts'
import { operatorEntry } from '../access/security-log.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { announceEndedOf } from '../views/events.ts'
import { changeCatalog } from './open-catalog.ts'

export interface ResetPasswordOptions {
  /** True to delete the account's API keys, too. */
  deleteKeys: boolean
  /** True to end the account's shares, too. */
  endShares: boolean
  /** True to keep its second factor and its passkeys. */
  keepSecondFactor: boolean
  /** True to keep its link to a provider. */
  keepLinked: boolean
}

interface ResetPasswordCommand extends ResetPasswordOptions, Services {
  email: string
}

const PASSWORD_BYTES = 15

/**
 * Runs `admin reset-password`: gives an account a new password, prints it, takes its second factor and its link to a provider off, and
 * signs the account out everywhere. For an operator with access to the database but no way to sign in.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when a server runs, or there is no such account.
 */
export async function runResetPassword(config: Config, command: ResetPasswordCommand): Promise<number> {
  const { clock, random, log } = command
  await changeCatalog(config, { clock, isNew: false }, async (catalog) => {
    const user = await catalog.users.byEmail(normalizeEmail(command.email))
    if (!user) throw new StartError(`There is no account "${command.email}"`)
    const password = Buffer.from(random.bytes(PASSWORD_BYTES)).toString('base64url')
    const passwordHash = await createPasswords().hash(password)
    await catalog.transact(function* () {
      yield* catalog.users.update(user.id, { passwordHash, updatedAt: clock.now() })
      if (!command.keepSecondFactor)
        yield* catalog.users.removeFactors(user.id, { at: clock.now(), withPasskeys: true })
      const unlinked = command.keepLinked ? 0 : yield* catalog.identities.removeOfUser(user.id)
      yield* catalog.sessions.removeOfUser(user.id)
      yield* announceEndedOf({ clock, random, store: catalog }, user.id, command)
      if (command.endShares) yield* catalog.shares.removeOfUser(user.id)
      if (command.deleteKeys) yield* catalog.keys.removeOfUser(user.id)
      yield* catalog.securityEvents.insert(operatorEntry(command, 'password.reset', user))
      if (unlinked > 0)
        yield* catalog.securityEvents.insert(operatorEntry(command, 'identity.unlinked', user))
    })
    log.info(`The new password of ${user.email} is ${password}`)
    if (user.disabled) log.info('The account is disabled: another admin must enable it')
  })
  return 0
}
