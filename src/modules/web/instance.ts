import { readFileSync } from 'node:fs'
import { type Asset, type Assets, INSTANCE_LOGO } from '../../api/assets.ts'
import { escapeHtml } from '../../api/html.ts'
import type { Config } from '../../platform/config.ts'
import { StartError } from '../../platform/errors.ts'

const MAX_LOGO_BYTES = 256 * 1024
const MANIFEST = '.webmanifest'

/** First bytes of pictures that run no scripts, by their types. An SVG may. */
const FORMATS = {
  'image/png': /^\x89PNG/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/webp': /^RIFF.{4}WEBP/s,
}

/**
 * Returns the files of the dashboard with the name and the logo of the instance in its pages, and the name in the manifest of
 * the installed app.
 *
 * @throws {StartError} for a logo that cannot be read, is too large or no picture.
 */
export function withInstance(
  assets: Assets,
  { instanceName, instanceLogo }: Pick<Config, 'instanceName' | 'instanceLogo'>,
): Assets {
  if (instanceName === 'Holdfast' && instanceLogo === undefined) return assets
  const changed = new Map(assets)
  for (const [path, asset] of assets)
    if (path === '/' || path.startsWith('/#')) changed.set(path, named(asset, instanceName, instanceLogo))
    else if (path.endsWith(MANIFEST))
      changed.set(
        path,
        rewritten(asset, (text) => text.replace('"Holdfast"', () => JSON.stringify(instanceName))),
      )
  if (instanceLogo !== undefined) changed.set(INSTANCE_LOGO, logoAt(instanceLogo))
  return changed
}

function named(asset: Asset, instanceName: string, logo: string | undefined): Asset {
  const name = escapeHtml(instanceName)
  return rewritten(asset, (page) =>
    page
      .replace('<title>Holdfast</title>', () => `<title>${name}</title>`)
      // Browsers may keep the manifest of another name.
      .replace(`${MANIFEST}"`, `${MANIFEST}?${encodeURIComponent(instanceName)}"`)
      .replace(/(class="logo">)(<svg.*?<\/svg>)Holdfast/g, (_, start, own) => {
        const image = logo === undefined ? own : `<img src="${INSTANCE_LOGO}" alt="" width="28" height="28">`
        return `${start}${image}${name}`
      })
      .replace(/<link rel="icon"[^>]*>/, (own) =>
        logo === undefined ? own : `<link rel="icon" href="${INSTANCE_LOGO}">`,
      ),
  )
}

const rewritten = ({ type, read }: Asset, change: (text: string) => string): Asset =>
  madeOf(type, new TextEncoder().encode(change(new TextDecoder().decode(read()))))

function logoAt(path: string): Asset {
  const refuse = (problem: string) => new StartError(`INSTANCE_LOGO ${problem}: ${path}`)
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = new Uint8Array(readFileSync(path))
  } catch {
    throw refuse('cannot be read')
  }
  if (bytes.length > MAX_LOGO_BYTES) throw refuse('must have at most 256 KiB')
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  const type = Object.entries(FORMATS).find(([, start]) => start.test(head))?.[0]
  if (type === undefined) throw refuse('must be a PNG, JPEG or WebP picture')
  return madeOf(type, bytes)
}

const madeOf = (type: string, bytes: Uint8Array<ArrayBuffer>): Asset => ({
  ...{ type, isImmutable: false, isCompressed: false, read: () => bytes },
  digest: new Bun.CryptoHasher('sha256').update(bytes).digest('base64url'),
})
