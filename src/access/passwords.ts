import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { characters, MAX_PASSWORD, MIN_PASSWORD } from './profile.ts'

/** Cost of a hash by argon2id, the library's default algorithm. */
export interface PasswordCost {
  /** Memory in KiB. */
  memoryCost: number
  /** Passes over the memory. */
  timeCost: number
  /** Lanes that run at the same time. */
  parallelism: number
}

/** Minimum by OWASP: 19 MiB, two passes, one lane. */
const OWASP: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Maximum concurrent hashes; one core stays free for serving files. */
const MAX_RUNNING = Math.max(1, availableParallelism() - 1)
const MAX_WAITING = 16

export type Passwords = ReturnType<typeof createPasswords>

/**
 * Hashes and verifies passwords off the event loop, with bounded concurrency: hashing shares its threads with
 * file reading, and a flood of sign-ins must not stop downloads.
 *
 * Past the bound it throws a `rate-limited` Refusal.
 */
export function createPasswords(cost = OWASP) {
  let running = 0
  const waiting: (() => void)[] = []

  async function bounded<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= MAX_RUNNING) {
      if (waiting.length >= MAX_WAITING) {
        throw new Refusal('rate-limited', 'Too many sign-ins at once, try again soon', {
          headers: { 'Retry-After': '1' },
        })
      }
      await new Promise<void>((start) => waiting.push(start))
    } else running += 1
    try {
      return await work()
    } finally {
      // The place passes to a waiter; it becomes free only when none waits.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  const nobodys = hash('the password of no account', cost)

  return {
    hash: (password: string): Promise<string> => bounded(() => hash(password, cost)),
    /**
     * Verifies against `passwordHash`. Without one, and for the empty one of an account without a password, it verifies
     * against a dummy hash, so that timing does not reveal if the account exists.
     */
    verify: async (passwordHash: string | undefined, password: string): Promise<boolean> => {
      const stored = passwordHash || (await nobodys)
      const matches = await bounded(() => verify(stored, password))
      return matches && Boolean(passwordHash)
    },
  }
}

/**
 * Checks a new password.
 *
 * @param field Name of the field in the body, for the message.
 * @throws {Refusal} `invalid` for its length, for a common password, and for text that is not valid UTF-8.
 */
export async function assertAcceptable(password: string, field: string): Promise<void> {
  const length = characters(password)
  if (length < MIN_PASSWORD) throw refuseInvalid(`"${field}" must have at least ${MIN_PASSWORD} characters`)
  if (length > MAX_PASSWORD) throw refuseInvalid(`"${field}" must have at most ${MAX_PASSWORD} characters`)
  if (!password.isWellFormed()) throw refuseInvalid(`"${field}" must be well-formed Unicode`)
  // Loaded on first use, because a start does not need 490 KB of passwords.
  const { default: common } = await import('@zxcvbn-ts/language-common/src/passwords.json')
  if (common.includes(password.toLowerCase()))
    throw refuseInvalid(`"${field}" is one of the most common passwords: choose another`)
}
