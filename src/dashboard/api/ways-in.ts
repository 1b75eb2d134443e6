import { useQuery } from '@tanstack/react-query'
import { HoldfastError } from '../../client/index.ts'
import { formatCount } from '../lib/format.ts'
import { signInTexts } from '../texts/sign-in.ts'
import { client, waitOf } from './client.ts'
import { mustAddFactor, queryClient, refreshing } from './query.ts'
import { enter } from './session.ts'

export type { NewCodes, Proof, WaysIn } from '../../client/index.ts'

/** Finishes signing in by a code of the app. */
export async function enterByCode(code: string, trustDevice: boolean): Promise<void> {
  await client.auth.verifyCode({ code, trustDevice })
  await enter()
}

/** Finishes signing in by a recovery code. */
export async function enterByRecoveryCode(code: string, trustDevice: boolean): Promise<void> {
  await client.auth.verifyRecoveryCode({ code, trustDevice })
  await enter()
}

/** Returns the error of a code in the words of the dashboard. */
export function inWords(error: Error | null): Error | null {
  if (!(error instanceof HoldfastError)) return error
  const say = (message: string) => new HoldfastError(message, { status: 400 })
  if (error.code === 'invalid-code') return say(signInTexts.wrongCode)
  if (error.code === 'invalid-backup-code') return say(signInTexts.wrongRecovery)
  if (error.code !== 'codes-locked') return error
  return say(signInTexts.locked(formatCount(Math.ceil(waitOf(error) / 60), signInTexts.minute)))
}

export const useWaysIn = () => useQuery({ queryKey: ['ways-in'], queryFn: client.account.waysIn })

export const confirmSession = client.auth.confirm

/** Returns the app to add and recovery codes, which can be read only now. */
export const addApp = refreshing(client.auth.enableCodes, 'ways-in')
export const renewRecoveryCodes = refreshing(client.auth.renewRecoveryCodes, 'ways-in')
export const turnOffCodes = refreshing(client.auth.disableCodes, 'ways-in')
export const setPassword = refreshing(client.auth.setPassword, 'ways-in')
export const linkProvider = client.auth.link
export const unlinkProvider = refreshing(client.auth.unlink, 'ways-in')
export const showS3 = client.keys.showS3
export const forgetDevices = refreshing(client.account.forgetTrustedDevices, 'ways-in')

/** Enables the app that was added by its first code. */
export async function turnOnCodes(code: string): Promise<void> {
  await client.auth.verifyCode({ code })
  await readFactors()
}

/** Reads the ways in again, after one was added. */
export async function readFactors(): Promise<void> {
  if (mustAddFactor.get()) {
    // Everything was refused so far.
    mustAddFactor.set(() => false)
    await queryClient.invalidateQueries()
  } else await queryClient.invalidateQueries({ queryKey: ['ways-in'] })
}
