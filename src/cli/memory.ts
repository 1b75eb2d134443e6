import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { UploadMemory } from '../client/index.ts'
import { loginPath } from './account.ts'

/** Milliseconds after which an entry is removed. Servers discard an upload a day after its last byte. */
const KEPT_MS = 7 * 86_400_000

/**
 * Returns a storage of unfinished uploads next to the login, one file per upload, so that concurrent commands do
 * not collide. Without write access, as in some containers, it stays empty.
 */
export function createMemory(environment: Record<string, string | undefined>): UploadMemory {
  const folder = join(dirname(loginPath(environment)), 'uploads')
  const pathOf = (what: string) => join(folder, createHash('sha256').update(what).digest('hex'))
  return {
    recall: (what) => ifPossible(() => readFileSync(pathOf(what), 'utf8')),
    remember: (what, id) =>
      ifPossible(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(pathOf(what), id, { mode: 0o600 })
        removeOld(folder, statSync(pathOf(what)).mtimeMs)
      }),
    forget: (what) => ifPossible(() => rmSync(pathOf(what), { force: true })),
  }
}

function ifPossible<Answer>(work: () => Answer): Answer | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

function removeOld(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat && stat.mtimeMs < now - KEPT_MS) rmSync(path, { force: true })
  }
}
