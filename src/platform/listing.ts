import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { nameProblem } from './names.ts'

/** Named entry of a folder. */
export interface Entry {
  /** Name on disk, with escapes when it is not UTF-8. */
  name: string
  kind: 'file' | 'directory' | 'other'
  /** Reason why nothing can be stored under this name, such as `its name is not UTF-8`. */
  problem?: string
}

/** Reason to leave out an entry whose name is no text. */
export const NOT_UTF8 = 'its name is not UTF-8'

export function kindOf(entry: Dirent | Stats): Entry['kind'] {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'directory' : 'other'
}

/**
 * Returns the entries of a folder that other programs write to, by name. Names on disk are bytes: two of them can
 * decode to the same text, and a path made of that text may lead to neither.
 *
 * @throws the error of the system when the folder cannot be read.
 */
export function entriesOf(folder: string): Entry[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  const exact = entries.filter(({ name }) => !isDoubtful(name))
  const listed = exact.map((entry) => ({ kind: kindOf(entry), ...judge(entry.name) }))
  // Bun lists bytes without types, so only names that may differ from their text are listed again.
  if (exact.length < entries.length)
    for (const bytes of namesIn(folder))
      if (isDoubtful(bytes.toString())) {
        const stat = lstatSync(Buffer.concat([Buffer.from(`${folder}/`), bytes]), { throwIfNoEntry: false })
        if (stat) listed.push({ kind: kindOf(stat), ...judge(bytes) })
      }
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * True for a path from the command line that may mean another entry than its text, because arguments that are not
 * UTF-8 are decoded to the same.
 */
export function isAmbiguous(path: string): boolean {
  for (let place = resolve(path); isDoubtful(place); place = dirname(place)) {
    const isTwin = (name: Buffer) => !isUtf8(name) && name.toString() === basename(place)
    if (isDoubtful(basename(place)) && namesIn(dirname(place)).some(isTwin)) return true
  }
  return false
}

/** True for text that may be decoded from bytes that are not UTF-8. */
const isDoubtful = (text: string) => text.includes('\u{FFFD}')

const isUtf8 = (name: Buffer) => name.equals(Buffer.from(name.toString()))

/** Returns the names in a folder as bytes; none when it cannot be read. */
function namesIn(folder: string): Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' })
  } catch {
    return []
  }
}

function judge(name: string | Buffer): Pick<Entry, 'name' | 'problem'> {
  if (typeof name !== 'string' && !isUtf8(name)) return { name: escaped(name), problem: NOT_UTF8 }
  const text = String(name)
  const problem = problemOf(text)
  return problem === undefined ? { name: text } : { name: text, problem }
}

/** Returns the reason to leave out an entry with this name; `undefined` if there is none. */
export function problemOf(name: string): string | undefined {
  const problem = nameProblem(name)
  return problem === undefined ? undefined : `its name ${problem}`
}

/** Returns a name with each byte that is not printable ASCII as an escape, such as `caf\xe9`. */
const escaped = (name: Buffer): string =>
  name
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
