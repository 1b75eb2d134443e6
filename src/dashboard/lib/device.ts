import Bowser from 'bowser'

/** What a `User-Agent` tells of a device; nothing where it is not a browser's. */
export interface Device {
  browser: string | undefined
  system: string | undefined
  kind: 'phone' | 'tablet' | 'computer' | 'program'
}

const KINDS: Record<string, Device['kind']> = { mobile: 'phone', tablet: 'tablet', desktop: 'computer' }

export function readDevice(userAgent: string): Device {
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
