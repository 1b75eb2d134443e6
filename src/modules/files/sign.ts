import type { Context } from '../../access/context.ts'
import { signLink } from '../../access/signature.ts'
import { iso } from '../../platform/time.ts'
import type { FileRow } from '../../store/rows.ts'
import type { Located } from '../../store/tree.ts'
import { hostingUrl } from '../../views/files.ts'

/** Returns the default and the maximum lifetime of a signed link, in seconds. */
export function linkLifetimes({ store: { settings } }: Pick<Context, 'store'>) {
  const { defaultPresignSeconds, maxPresignSeconds } = settings.current()
  return { defaultExpiresIn: defaultPresignSeconds, maxExpiresIn: maxPresignSeconds }
}

/**
 * Signs a link that opens one file at its present key for a limited time.
 *
 * @param expiresIn Seconds; rounded down and clamped to between 1 and the instance's maximum.
 */
export function signFile(deps: Context, { row, key }: Located<FileRow>, expiresIn: number | undefined) {
  const { defaultPresignSeconds, maxPresignSeconds } = deps.store.settings.current()
  const seconds = Math.min(Math.max(Math.floor(expiresIn ?? defaultPresignSeconds), 1), maxPresignSeconds)
  const expires = Math.floor(deps.clock.now() / 1000) + seconds
  const signature = signLink(deps.secrets.link, { fileId: row.id, key, expires: String(expires) })
  return {
    url: `${hostingUrl(key)}?exp=${expires}&sig=${signature}`,
    expiresAt: iso(expires * 1000),
  }
}
