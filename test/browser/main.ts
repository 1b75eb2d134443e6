import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CHROMIUM } from './chromium.ts'

/** Runs the tests that need a real browser, or reports that it is missing. */
if (existsSync(CHROMIUM)) {
  const names = [...new Bun.Glob('*.check.ts').scanSync(import.meta.dir)].sort()
  const tests = names.map((name) => join(import.meta.dir, name))
  const command = [process.execPath, 'test', '--timeout', '90000', ...tests]
  const { exitCode } = Bun.spawnSync(command, { stdio: ['inherit', 'inherit', 'inherit'] })
  process.exitCode = exitCode
} else {
  console.log(`Skipped: there is no browser at ${CHROMIUM} (apt install chromium, or set CHROMIUM)`)
}
