import { newAccount } from '../access/accounts.ts'
import { assertAcceptable, createPasswords } from '../access/passwords.ts'
import { readEmail } from '../access/profile.ts'
import { operatorEntry } from '../access/security-log.ts'
import type { UserRow } from '../catalog/people/users.ts'
import type { Config } from '../platform/config.ts'
import { Refusal, StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { prepareInstance } from '../store/instance.ts'
import { type ChangeableCatalog, changeCatalog } from './open-catalog.ts'

export interface CreateAdminCommand extends Services {
  email: string
  /** Name of the account; the part of the e-mail before `@` by default. */
  name?: string | undefined
  /** Password; generated and printed by default. */
  password?: string | undefined
}

const PASSWORD_BYTES = 15

/**
 * Runs `admin create`: adds an admin from the machine itself, so that a new instance is never open to the
 * first stranger. Creates a missing data folder and database, or the tables of a shared one.
 *
 * @returns The exit code, 0.
 * @throws {StartError} when a server runs, the account exists, or e-mail or password are not acceptable.
 */
export async function runCreateAdmin(config: Config, command: CreateAdminCommand): Promise<number> {
  const { clock, random, log } = command
  const password = command.password ?? Buffer.from(random.bytes(PASSWORD_BYTES)).toString('base64url')
  const email = await readAccount(command.email, password)
  const place = await changeCatalog(config, { clock, isNew: true }, async (catalog) => {
    await prepareInstance({ catalog, clock, random })
    const passwordHash = await createPasswords().hash(password)
    await insertAdmin(
      catalog,
      newAccount(command, {
        name: command.name?.trim() || email.replace(/@.*/, ''),
        email,
        passwordHash,
        role: 'admin',
      }),
      command,
    )
  })
  const shown = command.password === undefined ? `. The password is ${password}` : ''
  log.info(`${email} is an admin of the instance in ${place}${shown}`)
  return 0
}

/**
 * Validates e-mail and password and returns the e-mail in lower case.
 *
 * @throws {StartError}
 */
async function readAccount(sentEmail: string, password: string): Promise<string> {
  try {
    await assertAcceptable(password, 'password')
    return readEmail(sentEmail)
  } catch (error) {
    throw error instanceof Refusal ? new StartError(error.message) : error
  }
}

function insertAdmin(
  { users, securityEvents, transact }: ChangeableCatalog,
  admin: UserRow,
  command: CreateAdminCommand,
): Promise<void> {
  return transact(function* () {
    if (yield* users.byEmail(admin.email))
      throw new StartError(`The account "${admin.email}" exists: "admin reset-password" gives it a password`)
    yield* users.insert(admin)
    yield* securityEvents.insert(operatorEntry(command, 'account.created', admin))
  })
}
