import { normalizeEmail } from '../access/profile.ts'
import { operatorEntry } from '../access/security-log.ts'
import { LINK_PATH, signInLinks } from '../access/sign-in-links.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { changeCatalog } from './open-catalog.ts'

export interface SignInLinkCommand extends Services {
  email: string
}

/**
 * Runs `admin sign-in-link`: prints a link that signs an account in once, for ten minutes. For an operator whose provider
 * is down.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when a server runs, or there is no such account, or it is disabled.
 */
export async function runSignInLink(config: Config, command: SignInLinkCommand): Promise<number> {
  const { clock, random, log, email } = command
  await changeCatalog(config, { clock, isNew: false }, async (catalog) => {
    const user = await catalog.users.byEmail(normalizeEmail(email))
    if (!user) throw new StartError(`There is no account "${email}"`)
    if (user.disabled)
      throw new StartError(`The account ${user.email} is disabled: another admin must enable it`)
    const token = await catalog.transact(function* () {
      yield* catalog.securityEvents.insert(operatorEntry(command, 'sign-in-link.made', user))
      return yield* signInLinks({ store: catalog, clock, random }).begin(user.id, {})
    })
    log.info(
      `This link signs in ${user.email} once, within 10 minutes: ${config.baseUrl}${LINK_PATH}#${token}`,
    )
  })
  return 0
}
