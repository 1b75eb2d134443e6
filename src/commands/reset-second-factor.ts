import { normalizeEmail } from '../access/profile.ts'
import { operatorEntry } from '../access/security-log.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { changeCatalog } from './open-catalog.ts'

interface ResetSecondFactorCommand extends Services {
  email: string
}

/**
 * Runs `admin reset-second-factor`: takes codes, recovery codes, passkeys and trusted browsers off an account, and signs
 * it out everywhere.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when a server runs, or there is no such account.
 */
export async function runResetSecondFactor(
  config: Config,
  command: ResetSecondFactorCommand,
): Promise<number> {
  const { clock, log } = command
  await changeCatalog(config, { clock, isNew: false }, async (catalog) => {
    const user = await catalog.users.byEmail(normalizeEmail(command.email))
    if (!user) throw new StartError(`There is no account "${command.email}"`)
    await catalog.transact(function* () {
      yield* catalog.users.removeFactors(user.id, { at: clock.now(), withPasskeys: true })
      yield* catalog.sessions.removeOfUser(user.id)
      yield* catalog.securityEvents.insert(operatorEntry(command, 'second-factor.reset', user))
    })
    log.info(`${user.email} signs in with its password only`)
  })
  return 0
}
