import { memo } from 'react'
import type { SecurityEntry } from '../../api/security.ts'
import { type User, useUsers } from '../../api/users.ts'
import { deviceName, readDevice } from '../../lib/device.ts'
import { formatClock, formatDay, formatMoment, parseTime } from '../../lib/format.ts'
import { withMarks } from '../../lib/marks.ts'
import { securityTexts } from '../../texts/security.ts'
import { iconOf, isFailure } from './kinds.ts'

/** Entries grouped by day in the reader's zone. */
export function Events({ entries }: { entries: readonly SecurityEntry[] }) {
  const { data: users } = useUsers()
  const days = Map.groupBy(entries, ({ createdAt }) => parseTime(createdAt).toDateString())
  return [...days].map(([day, ofDay]) => (
    <section key={day} aria-labelledby={`day-${day}`}>
      <h2 id={`day-${day}`} className="activity-day">
        {formatDay(new Date(day))}
      </h2>
      <ol className="activity-list">
        {ofDay.map((entry) => (
          <EventRow key={entry.id} entry={entry} by={nameOf(entry.actorId, users)} />
        ))}
      </ol>
    </section>
  ))
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

/** One entry, not rendered again when older ones are loaded. */
const EventRow = memo(
  ({ entry: { type, target, detail, createdAt, ipAddress, userAgent }, by }: EventRowProps) => {
    const Icon = iconOf(type)
    return (
      <li className={`activity-entry ${isFailure(type) ? 'is-failure' : ''}`}>
        <Icon aria-hidden size={18} strokeWidth={1.6} />
        <div className="activity-what">
          <p>
            {securityTexts.events[type] ?? type} <strong>{withMarks(target ?? securityTexts.unknown)}</strong>
          </p>
          <p className="activity-detail">
            {[detail, by && securityTexts.by(by), ipAddress]
              .filter(Boolean)
              .map((part) => `${withMarks(String(part))} · `)}
            <span title={withMarks(userAgent)}>{withMarks(deviceName(readDevice(userAgent)))}</span>
          </p>
        </div>
        <time dateTime={parseTime(createdAt).toISOString()} title={formatMoment(createdAt)}>
          {formatClock(createdAt)}
        </time>
      </li>
    )
  },
  (before, now) => before.entry === now.entry && before.by === now.by,
)
