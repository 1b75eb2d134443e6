import Bowser from 'bowser'
import { accountTexts } from '../texts/account.ts'

export type DeviceKind = 'phone' | 'tablet' | 'computer' | 'program'

/** Facts in a `User-Agent`; undefined if it is not a browser's. */
export interface Agent {
  browser: string | undefined
  system: string | undefined
  kind: DeviceKind
}

const KINDS: Record<string, DeviceKind> = { mobile: 'phone', tablet: 'tablet', desktop: 'computer' }

export function readDevice(userAgent: string): Agent {
  if (userAgent.trim() === '') return { browser: undefined, system: undefined, kind: 'program' }
  const { browser, os, platform } = Bowser.parse(userAgent)
  // Programs name themselves first, such as `curl/8.5.0`.
  const program = /^[\w .-]+/.exec(userAgent)?.[0]
  return {
    browser: browser.name || program,
    system: os.name,
    kind: KINDS[platform.type ?? ''] ?? 'program',
  }
}

/** Returns a device's name, such as `Firefox on Linux`. */
export function deviceName({ browser, system }: Agent): string {
  if (browser && system) return accountTexts.onSystem(browser, system)
  return browser ?? system ?? accountTexts.unknownDevice
}
