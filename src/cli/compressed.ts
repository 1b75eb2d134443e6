import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { problemOf } from '../platform/listing.ts'
import { nameOf } from './remote.ts'
import { type MeasuredFile, measure } from './tree.ts'

/** Names of files that become smaller. */
const TEXT =
  /\.(atom|css|csv|geojson|html?|ics|js|json|jsonld|map|md|mjs|rss|svg|txt|vtt|wasm|webmanifest|xml|xsl)$/i
/** Sizes of files with compressed forms: below, a response has one packet anyway; above, they take long. */
const MIN_BYTES = 1024
const MAX_BYTES = 32 * 1024 ** 2
/** Maximum files of a site with its compressed forms, so that they do not push it over the limit of an archive. */
const MAX_FILES = 9000

const FORMS: Record<string, (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gz: (bytes) => promisify(gzip)(bytes, { level: 9 }),
}

/** Compressed forms of files, in a temporary folder. */
export interface CompressedForms extends Disposable {
  files: MeasuredFile[]
}

/** Compresses text for a site: `x.br` and `x.gz` beside `x`, unless they are there, or hardly smaller. */
export async function compressText(files: readonly MeasuredFile[]): Promise<CompressedForms> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const forms: CompressedForms = {
    files: [],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
  try {
    const paths = new Set(files.map(({ path }) => path))
    const texts = files.filter(({ path, size }) => TEXT.test(path) && size > MIN_BYTES && size <= MAX_BYTES)
    const endings = Object.entries(FORMS)
    if (files.length + texts.length * endings.length > MAX_FILES) return forms
    for (const { path, place, modifiedAt } of texts) {
      const bytes = await Bun.file(place).bytes()
      for (const [ending, compress] of endings) {
        const name = `${path}.${ending}`
        if (paths.has(name) || problemOf(nameOf(name)) !== undefined) continue
        const compressed = await compress(bytes)
        if (compressed.length > bytes.length * 0.9) continue
        const at = join(folder, String(forms.files.length))
        await Bun.write(at, compressed)
        forms.files.push(await measure({ path: name, place: at, size: compressed.length, modifiedAt }))
      }
    }
    return forms
  } catch (error) {
    forms[Symbol.dispose]()
    throw error
  }
}
