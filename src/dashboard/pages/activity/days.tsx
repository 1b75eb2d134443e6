import { X } from 'lucide-react'
import { memo } from 'react'
import type { Activity } from '../../api/activity.ts'
import { IconButton } from '../../components/fields/button.tsx'
import { formatClock, formatDate, formatDay, formatMoment, parseTime } from '../../lib/format.ts'
import { withMarks } from '../../lib/marks.ts'
import { texts } from '../../texts.ts'
import { iconOf, isFailure } from './kinds.ts'

interface DaysProps {
  entries: readonly Activity[]
  onForget: (id: string) => void
}

/** Entries grouped by day in the reader's zone. */
export const Days = ({ entries, onForget }: DaysProps) =>
  [...Map.groupBy(entries, ({ createdAt }) => parseTime(createdAt).toDateString())].map(([day, ofDay]) => (
    <section key={day} aria-labelledby={`day-${day}`}>
      <h2 id={`day-${day}`} className="activity-day">
        {formatDay(new Date(day))}
      </h2>
      <ol className="activity-list">
        {ofDay.map((entry) => (
          <EntryRow key={entry.id} entry={entry} onForget={onForget} />
        ))}
      </ol>
    </section>
  ))

interface EntryRowProps extends Pick<DaysProps, 'onForget'> {
  entry: Activity
}

/** One entry, not rendered again when older ones are loaded. */
const EntryRow = memo(
  ({ entry: { id, type, target, detail, createdAt }, onForget }: EntryRowProps) => {
    const Icon = iconOf(type)
    const what = withMarks(target ?? texts.activity.unnamed)
    return (
      <li className={`activity-entry ${isFailure(type) ? 'is-failure' : ''}`}>
        <Icon aria-hidden size={18} strokeWidth={1.6} />
        <div className="activity-what">
          <p>
            {texts.activity.deeds[type] ?? type} <strong>{what}</strong>
          </p>
          {detail && <p className="activity-detail">{withMarks(withDay(detail))}</p>}
        </div>
        <time dateTime={parseTime(createdAt).toISOString()} title={formatMoment(createdAt)}>
          {formatClock(createdAt)}
        </time>
        <IconButton icon={X} label={texts.activity.forget(what)} onClick={() => onForget(id)} />
      </li>
    )
  },
  (before, now) => before.entry === now.entry,
)

/** Returns a detail with the day at its end, which the server writes as `YYYY-MM-DD`, in words. */
const withDay = (detail: string) =>
  detail.replace(/^(Expires )(\d{4}-\d\d-\d\d)$/, (_all, what, day) => what + formatDate(`${day}T00:00`))
