import {
  Fingerprint,
  Globe,
  KeyRound,
  LockKeyhole,
  LogIn,
  LogOut,
  type LucideIcon,
  Share2,
  ShieldCheck,
  TriangleAlert,
  UserRound,
  Webhook,
} from 'lucide-react'
import { memo } from 'react'
import { type User, useUsers } from '../../api/accounts.ts'
import type { SecurityEntry } from '../../api/instance.ts'
import { ByDay, Entry } from '../../components/log.tsx'
import { deviceName, readDevice } from '../../lib/device.ts'
import { withMarks } from '../../lib/format.ts'
import { securityTexts } from '../../texts/security.ts'

/** Entries grouped by day. */
export function Events({ entries }: { entries: readonly SecurityEntry[] }) {
  const { data: users } = useUsers()
  return (
    <ByDay entries={entries}>
      {(entry) => <EventRow key={entry.id} entry={entry} by={nameOf(entry.actorId, users)} />}
    </ByDay>
  )
}

/** Returns the name of the account that made a change; undefined when it made it itself, or while names are loading. */
function nameOf(id: string | null, users: readonly User[] | undefined): string | undefined {
  if (id === null || !users) return undefined
  return users.find((user) => user.id === id)?.name ?? securityTexts.deleted
}

interface EventRowProps {
  entry: SecurityEntry
  by: string | undefined
}

/** Events of something that belongs to an account, by that account. */
const OF_A_THING = /^(api-key|webhook|invitation|share|site)\.(created|changed|deleted|revoked|ended)$/

/** Returns what an entry is about, and the account behind it. An invitation has no name. */
function subjectOf({ type, target, detail }: SecurityEntry, by: string | undefined) {
  const account = withMarks(target ?? securityTexts.unknown)
  if (!OF_A_THING.test(type)) return { name: account, detail, by }
  return type.startsWith('invitation')
    ? { name: undefined, detail, by: account }
    : { name: detail && withMarks(detail), detail: undefined, by: account }
}

/** One entry, not rendered again when older ones are loaded. */
const EventRow = memo(
  ({ entry, by: actor }: EventRowProps) => {
    const { type, createdAt, ipAddress, userAgent } = entry
    const { name, detail, by } = subjectOf(entry, actor)
    return (
      <Entry
        icon={iconOf(type)}
        isFailure={isFailure(type)}
        what={
          <>
            {securityTexts.events[type] ?? type} {name && <strong>{name}</strong>}
          </>
        }
        detail={
          <>
            {[detail, by && securityTexts.by(by), ipAddress]
              .filter(Boolean)
              .map((part) => `${withMarks(String(part))} · `)}
            <span title={withMarks(userAgent)}>{withMarks(deviceName(readDevice(userAgent)))}</span>
          </>
        }
        createdAt={createdAt}
      />
    )
  },
  (before, now) => before.entry === now.entry && before.by === now.by,
)

export const KINDS = ['all', 'sign-ins', 'failed', 'passwords', 'accounts', 'keys', 'webhooks'] as const
export type Kind = (typeof KINDS)[number]

const TYPES = Object.keys(securityTexts.events)
const typesLike = (pattern: RegExp) => TYPES.filter((type) => pattern.test(type))

/** Types of the events of a kind; undefined for all. */
export const TYPES_OF: Record<Kind, string[] | undefined> = {
  all: undefined,
  'sign-ins': typesLike(/^(sign-in\.succeeded|sign-in-link\.|sign-out|session\.|backup-codes\.used)/),
  failed: typesLike(/(failed|locked)$/),
  passwords: typesLike(/^(password|email|second-factor|backup-codes|passkey|identity|device)\./),
  accounts: typesLike(/^(account|role|folders|invitation)\./),
  keys: typesLike(/^api-key\./),
  webhooks: typesLike(/^webhook\./),
}

export const isFailure = (type: string) => /(failed|locked)$/.test(type)

/** Icons by the beginnings of types. */
const ICONS: Record<string, LucideIcon> = {
  'sign-in': LogIn,
  'sign-in-link': LogIn,
  'sign-out': LogOut,
  session: LogOut,
  password: LockKeyhole,
  'second-factor': ShieldCheck,
  'backup-codes': ShieldCheck,
  passkey: Fingerprint,
  'api-key': KeyRound,
  webhook: Webhook,
  share: Share2,
  site: Globe,
}

export const iconOf = (type: string): LucideIcon =>
  isFailure(type) ? TriangleAlert : (ICONS[type.split('.')[0] ?? ''] ?? UserRound)
