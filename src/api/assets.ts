/** Endings of the names of compressed forms, by the coding. */
const ENDINGS = { br: '.br', gzip: '.gz' } as const

/** Coding in which a file can be sent (RFC 9110 §8.4). */
export type Coding = keyof typeof ENDINGS

/** File of the dashboard. */
export interface Asset extends Omit<ManifestEntry, 'path' | 'file'> {
  /** Reads the content, or its form in a coding if `isCompressed`. */
  read: (coding?: Coding) => Uint8Array<ArrayBuffer>
}

/** Files of the dashboard by their URL paths. `/` is the page for every client-side path. */
export type Assets = ReadonlyMap<string, Asset>

/** Build's entry for a file, beside its bytes. */
export interface ManifestEntry {
  /** URL path. */
  path: string
  /** Name of the file in the build's folder. */
  file: string
  /** Media type with its charset. */
  type: string
  /** True when its name changes with its content. */
  isImmutable: boolean
  /** True when compressed forms stand beside it. */
  isCompressed: boolean
  /** Digest of the content, without quotes. */
  digest: string
}

export const MANIFEST = 'manifest.json'

/** Path prefix of files whose names change with their content. */
export const ASSETS_PREFIX = '/assets/'

/**
 * Directives that keep files hosted by this origin from running in the page. `'self'` takes no path, and the
 * server need not know the address that the browser opened, so a second policy names the path at any address.
 * A resource must satisfy both.
 */
export const OWN_ASSETS = ['script-src', 'worker-src', 'style-src']
  .map((directive) => `${directive} *:*${ASSETS_PREFIX}`)
  .join('; ')

/** URL path of the font that every page needs. */
export const MAIN_FONT = '/assets/figtree-2.woff2'

/** URL path of the logo of the instance, if it has one. */
export const INSTANCE_LOGO = '/assets/instance-logo'

/** URL paths of the scripts that pages of shares embed: to send files, and to look through pictures. */
export const VISITOR_SCRIPTS = { send: '/assets/visitor-send.js', view: '/assets/visitor-view.js' } as const

/**
 * Returns the files of a build. The caller decides how one is read: from memory, or from a binary's embedded files,
 * which need no memory while they are not sent.
 */
export const assetsFrom = (
  manifest: readonly ManifestEntry[],
  read: (file: string) => Uint8Array<ArrayBuffer>,
): Assets =>
  new Map(
    manifest.map(({ path, file, ...entry }): [string, Asset] => [
      path,
      { ...entry, read: (coding) => read(coding ? `${file}${ENDINGS[coding]}` : file) },
    ]),
  )
