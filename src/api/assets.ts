import { createHash } from 'node:crypto'

/** File of the dashboard, ready to be sent. */
export interface Asset {
  bytes: Uint8Array<ArrayBuffer>
  /** Compressed forms, where they are smaller. */
  brotli: Uint8Array<ArrayBuffer> | undefined
  gzip: Uint8Array<ArrayBuffer> | undefined
  /** Media type with its charset. */
  type: string
  /** True when its name changes with its content. */
  isImmutable: boolean
  /** Digest of the content, without quotes. */
  digest: string
}

/** Files of the dashboard by their URL paths. `/` is the page for every client-side path. */
export type Assets = ReadonlyMap<string, Asset>

/** Build's entry for a file, beside its bytes. */
export interface ManifestEntry {
  /** URL path. */
  path: string
  /** Name of the file in the build's folder; compressed forms append `.br` and `.gz`. */
  file: string
  type: string
  isImmutable: boolean
  isCompressed: boolean
}

export const MANIFEST = 'manifest.json'

/** URL path of the font that every page needs. */
export const MAIN_FONT = '/assets/figtree-2.woff2'

/** URL path of the script that pages of shares embed. */
export const VISITOR_SCRIPT = '/assets/visitor.js'

/**
 * Loads the build's files. The caller decides how a file is read: from a folder, or from a binary's embedded
 * files.
 */
export function assetsFrom(
  manifest: readonly ManifestEntry[],
  read: (file: string) => Uint8Array<ArrayBuffer>,
): Assets {
  const assets = manifest.map(({ path, file, type, isImmutable, isCompressed }): [string, Asset] => {
    const bytes = read(file)
    return [
      path,
      {
        bytes,
        brotli: isCompressed ? read(`${file}.br`) : undefined,
        gzip: isCompressed ? read(`${file}.gz`) : undefined,
        type,
        isImmutable,
        digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
      },
    ]
  })
  return new Map(assets)
}
