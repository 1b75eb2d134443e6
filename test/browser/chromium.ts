import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const SHELL = '/usr/bin/chromium-headless-shell'

/** The whole browser, for what the shell does not have: it installs no apps. */
export const WHOLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Browser of the tests. The shell opens a page in a third of the time, because it draws no window around it. */
export const CHROMIUM = process.env['CHROMIUM'] ?? (existsSync(SHELL) ? SHELL : WHOLE)

/** Starts a browser. It resolves `http://holdfast.test` and `http://localhost`, where browsers have passkeys, to `port`. */
export function launchChromium(port?: number, executablePath = CHROMIUM): Promise<Browser> {
  const rules =
    port === undefined
      ? []
      : [`--host-resolver-rules=MAP holdfast.test 127.0.0.1:${port}, MAP localhost:80 127.0.0.1:${port}`]
  return chromium.launch({
    executablePath,
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
