import { type Browser, chromium } from 'playwright-core'

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Starts the browser. It resolves `http://holdfast.test` to `port`. */
export function launchChromium(port?: number): Promise<Browser> {
  const rules = port === undefined ? [] : [`--host-resolver-rules=MAP holdfast.test 127.0.0.1:${port}`]
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...rules,
    ],
  })
}
