import type { Platform } from '../platform/platform.ts'
import { iso } from '../platform/time.ts'
import type { ShareRow, WebhookEvent, Work } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

/** Share as events name it. */
interface EventShare {
  id: string
  slug: string
  title: string | null
  userId: string
}

/** Stored file as events name it. */
interface EventFile {
  id: string
  name: string
  key: string
  size: number
  mimeType: string
}

/** Stored files, of which a long list has only the first. */
interface EventFiles {
  /** Number of all files. */
  count: number
  /** Bytes of all files. */
  size: number
  files: EventFile[]
}

/** Data of each event by its type. */
export interface EventData {
  'upload.completed': EventFiles & { userId: string; replaced: boolean }
  'share.downloaded': {
    share: EventShare
    /** Null for an archive. */
    fileId: string | null
    name: string
    size: number
    downloads: number
    maxDownloads: number | null
    address: string
    userAgent: string
  }
  'share.received': EventFiles & { share: EventShare; address: string; userAgent: string }
  'share.ended': { share: EventShare; reason: 'ended' | 'expired' | 'used up' }
  'integrity.failed': { place: 'files' | 'trash' | 'versions'; id: string; path: string; problem: string }
  'webhook.test': { webhookId: string; name: string }
}
type EventType = keyof EventData

/** Types of the events that a webhook can choose. */
export const CHOSEN_EVENTS = [
  'upload.completed',
  'share.downloaded',
  'share.received',
  'share.ended',
  'integrity.failed',
] as const satisfies EventType[]

/**
 * Builds an event for webhooks, for the transaction that it reports.
 *
 * @param notify Webhook that the share of the event names.
 */
export function eventOf<Type extends EventType>(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  type: Type,
  data: EventData[Type],
  notify: string | null = null,
): WebhookEvent {
  const createdAt = clock.now()
  const body = JSON.stringify({ type, timestamp: iso(createdAt), data })
  return { eventId: random.id(), type, body, notify, createdAt }
}

/** Maximum files that an event names: receivers expect less than 20 KB. */
const MAX_FILES = 20

/** Returns files as an event names them. */
export const eventFiles = <File extends Omit<EventFile, 'key'>>(
  files: readonly File[],
  keyOf: (file: File, index: number) => string,
): EventFiles => ({
  count: files.length,
  size: files.reduce((sum, { size }) => sum + size, 0),
  files: files.slice(0, MAX_FILES).map((file, index) => {
    const { id, name, size, mimeType } = file
    return { id, name, key: keyOf(file, index), size, mimeType }
  }),
})

export const eventShare = ({ id, slug, title, userId }: EventShare): EventShare => ({
  id,
  slug,
  title,
  userId,
})

/** Builds the event of a share that opens no more. */
export const endEvent = (
  deps: Pick<Platform, 'clock' | 'random'>,
  share: ShareRow,
  reason: EventData['share.ended']['reason'],
): WebhookEvent => eventOf(deps, 'share.ended', { share: eventShare(share), reason }, share.notify)

/** Announces shares that end with their key or account, inside the transaction that removes them. */
export function* announceEnded(
  deps: Pick<Platform, 'clock' | 'random'> & { store: Pick<Store, 'webhookDeliveries'> },
  shares: readonly ShareRow[],
): Work<void> {
  for (const share of shares) yield* deps.store.webhookDeliveries.announce(endEvent(deps, share, 'ended'))
}

/** Announces the shares that end with an account's shares or API keys, inside the transaction that removes them. */
export function* announceEndedOf(
  deps: Pick<Platform, 'clock' | 'random'> & { store: Pick<Store, 'shares' | 'webhookDeliveries'> },
  userId: string,
  { endShares, deleteKeys }: { endShares: boolean; deleteKeys: boolean },
): Work<void> {
  if (!endShares && !deleteKeys) return
  const shares = yield* deps.store.shares.ofUser(userId)
  yield* announceEnded(
    deps,
    shares.filter(({ keyId }) => endShares || keyId !== null),
  )
}
