import { createHash } from 'node:crypto'

/** A file of the dashboard, ready to be sent. */
export interface Asset {
  bytes: Uint8Array<ArrayBuffer>
  /** Compressed forms, where they are smaller. */
  brotli: Uint8Array<ArrayBuffer> | undefined
  gzip: Uint8Array<ArrayBuffer> | undefined
  /** The media type, with its charset. */
  type: string
  /** Whether its name changes with its content. */
  isImmutable: boolean
  /** Names the content, without quotes. */
  digest: string
}

/** The dashboard's files by their URL paths. `/` is the page that every client-side path shows. */
export type Assets = ReadonlyMap<string, Asset>

/** What the build writes about a file, beside its bytes. */
export interface ManifestEntry {
  /** The URL path. */
  path: string
  /** The file's name in the build's folder; compressed forms have `.br` and `.gz` behind it. */
  file: string
  type: string
  isImmutable: boolean
  isCompressed: boolean
}

export const MANIFEST = 'manifest.json'

/**
 * Takes the build's files in. How a file is read is the caller's to say: from a folder, or from what is
 * embedded in a binary.
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
