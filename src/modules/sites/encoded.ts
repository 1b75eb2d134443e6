import { acceptedCodings } from '../../http/compression.ts'
import type { FileAccess, Work } from '../../store/rows.ts'
import type { FoundFile, Lookup } from './answer.ts'

/** Endings of files with a compressed form of the file beside them. */
const ENDINGS = { br: '.br', zstd: '.zst', gzip: '.gz' }
/** Coding of a compressed form. */
export type Coding = keyof typeof ENDINGS
/** Codings by preference: Brotli at rest is the smallest. */
const CODINGS: readonly Coding[] = ['br', 'zstd', 'gzip']

/** Compressed form of a file. */
export interface Encoded extends FoundFile {
  coding: Coding
}

/** Number of headers whose codings are kept: browsers of one kind send the same. */
const MAX_KNOWN = 100
const known = new Map<string, readonly Coding[]>()

/** Returns the codings that a request accepts, by preference. One for a range gets the plain bytes. */
export function codingsOf(
  accepted: string | null | undefined,
  range: string | null | undefined,
): readonly Coding[] {
  if (!accepted || (range ?? undefined) !== undefined) return []
  const found = known.get(accepted)
  if (found) return found
  const codings = acceptedCodings(accepted, CODINGS)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(accepted, codings)
  return codings
}

/**
 * Finds the compressed forms of a file by its names from the folder of the site. One that is older than the file was made
 * of other bytes.
 */
export function* encodedForms(
  names: readonly string[],
  { updatedAt }: Pick<FileAccess, 'updatedAt'>,
  lookup: Lookup,
): Work<Encoded[]> {
  const forms: Encoded[] = []
  for (const coding of CODINGS) {
    const form = yield* lookup([...names.slice(0, -1), `${names.at(-1)}${ENDINGS[coding]}`])
    if (form && form.file.updatedAt >= updatedAt) forms.push({ coding, ...form })
  }
  return forms
}
