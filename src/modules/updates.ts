import * as T from 'typebox'
import Value from 'typebox/value'
import type { Context } from '../access/context.ts'
import type { Module } from '../api/module.ts'
import { assertSigned } from '../platform/minisign.ts'
import { VERSION } from '../platform/version.ts'

/** Schema of what a release says about itself and those before it (`release.json`). */
const Release = T.Object({
  version: T.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
  releases: T.Array(
    T.Object({ version: T.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }), security: T.Boolean() }),
    { maxItems: 1000 },
  ),
})

const DEADLINE_MS = 10_000
/** Maximum size of a `release.json`. */
const MAX_BYTES = 1024 ** 2

export interface Updates extends Module {
  /** Returns the release to update to, if one since this version fixes a vulnerability. */
  securityRelease: () => string | undefined
}

/**
 * Reads once a day from `UPDATE_CHECK` whether a later release fixes a vulnerability. The requests say nothing about the
 * instance, not even its version. With `UPDATE_CHECK_KEY`, the file must have the checksum that is signed beside it.
 */
export function createUpdates({ config, log }: Context): Updates {
  const { updateCheck, updateKey } = config
  let found: string | undefined
  const leaving = new AbortController()

  async function read(url: string): Promise<string> {
    const signal = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), leaving.signal])
    const response = await fetch(url, { headers: { 'User-Agent': 'Holdfast' }, signal })
    if (!response.ok) throw new Error(`The status of ${url} is ${response.status}`)
    return textOf(response)
  }

  async function assertGenuine(text: string, url: string, key: string): Promise<void> {
    const sums = new URL('SHA256SUMS', url).href
    const listed = await read(sums)
    assertSigned(listed, await read(`${sums}.minisig`), key)
    const line = `${Bun.CryptoHasher.hash('sha256', text, 'hex')}  release.json`
    if (!listed.split('\n').includes(line)) throw new Error(`${url} has another checksum than ${sums} says`)
  }

  async function check(url: string): Promise<void> {
    const text = await read(url)
    if (updateKey !== undefined) await assertGenuine(text, url, updateKey)
    const release: unknown = JSON.parse(text)
    if (!Value.Check(Release, release)) throw new Error(`${url} is not a release.json of Holdfast`)
    const isFix = release.releases.some(({ version, security }) => security && isLater(version, VERSION))
    const next = isFix ? release.version : undefined
    if (next !== undefined && next !== found)
      log.notice(`Holdfast ${next} fixes a vulnerability of ${VERSION}: update soon`)
    found = next
  }

  return {
    securityRelease: () => found,
    jobs: updateCheck
      ? [
          {
            pattern: '17 4 * * *',
            task: 'Update check',
            run: () => check(updateCheck),
            ...{ atStart: true, isEverywhere: true },
          },
        ]
      : [],
    stop: () => leaving.abort(),
  }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('The release.json is larger than a mebibyte')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Returns true if a version comes after another. */
function isLater(version: string, other: string): boolean {
  const [theirs, ours] = [version, other].map((text) => text.split('.').map(Number))
  const at = theirs?.findIndex((number, n) => number !== ours?.[n]) ?? -1
  return at >= 0 && (theirs?.[at] ?? 0) > (ours?.[at] ?? 0)
}
