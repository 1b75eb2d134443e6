import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CHROMIUM } from './chromium.ts'

/**
 * Runs the tests that need a real browser, two files at a time, or reports that it is missing. Words choose files by their
 * names' beginnings.
 */
if (existsSync(CHROMIUM)) {
  const chosen = process.argv.slice(2)
  const names = [...new Bun.Glob('*.check.ts').scanSync(import.meta.dir)].sort()
  const tests = names
    .filter((name) => chosen.length === 0 || chosen.some((word) => name.startsWith(word)))
    .map((name) => join(import.meta.dir, name))
  const command = [process.execPath, 'test', '--parallel=2', '--timeout', '90000', ...tests]
  const { exitCode } = Bun.spawnSync(command, { stdio: ['inherit', 'inherit', 'inherit'] })
  process.exitCode = exitCode
} else {
  console.log(`Skipped: there is no browser at ${CHROMIUM} (apt install chromium, or set CHROMIUM)`)
}
