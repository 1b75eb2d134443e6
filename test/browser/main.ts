import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CHROMIUM, WHOLE } from './chromium.ts'
import { FIREFOX } from './firefox.ts'

/**
 * Runs the tests that need real browsers, two files at a time, without those of a browser that is missing. Words choose
 * files by their names' beginnings.
 */
const browserOf = (name: string) =>
  name.startsWith('firefox') ? FIREFOX : name.startsWith('install') ? WHOLE : CHROMIUM
const chosen = process.argv.slice(2)
const tests = [...new Bun.Glob('*.check.ts').scanSync(import.meta.dir)]
  .sort()
  .filter((name) => chosen.length === 0 || chosen.some((word) => name.startsWith(word)))
  .filter((name) => existsSync(browserOf(name)))
  .map((name) => join(import.meta.dir, name))
if (tests.length > 0) {
  const command = [process.execPath, 'test', '--parallel=2', '--timeout', '90000', ...tests]
  const { exitCode } = Bun.spawnSync(command, { stdio: ['inherit', 'inherit', 'inherit'] })
  process.exitCode = exitCode
}
for (const path of new Set([CHROMIUM, WHOLE, FIREFOX]))
  if (!existsSync(path))
    console.log(
      `Skipped: there is no browser at ${path} (apt install chromium chromium-headless-shell firefox-esr, or set CHROMIUM and FIREFOX)`,
    )
