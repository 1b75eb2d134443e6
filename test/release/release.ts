import { afterAll, beforeAll } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../package.json'
import { TARGETS } from '../../src/build/binary.ts'
import { run } from '../../src/build/packaging/archive.ts'

const ROOT = join(import.meta.dir, '../..')

/** Writes a release into `out`. @throws what the script prints. */
export const buildRelease = (out: string, words: string[], env: Record<string, string> = {}): string =>
  run([process.execPath, join(ROOT, 'src/build/release.ts'), '--out', out, ...words], { env })

/** Writes programs that print their target and version in the place of the compiled ones. */
export function standIns(folder: string, printed: string = version): string {
  mkdirSync(folder, { recursive: true })
  for (const target of Object.keys(TARGETS)) {
    const path = join(folder, `holdfast-${target}`)
    writeFileSync(path, `#!/bin/sh\necho "${printed}"\necho "${target} $*" >&2\n`)
    chmodSync(path, 0o755)
  }
  return folder
}

/** Builds a release of stand-ins for the tests of a file. @returns Function that returns its folder. */
export function withRelease(environment: Record<string, string> = {}): () => string {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'))
    buildRelease(join(folder, 'out'), ['--binaries', standIns(join(folder, 'binaries'))], environment)
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  return () => join(folder, 'out')
}
