import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatClock, formatDay, formatMoment, parseTime } from '../lib/format.ts'

interface ByDayProps<Entry> {
  entries: readonly Entry[]
  /** Draws an entry, with its id as key. */
  children: (entry: Entry) => ReactNode
}

/** Entries grouped by day in the reader's zone. */
export const ByDay = <Entry extends { createdAt: string }>({ entries, children }: ByDayProps<Entry>) =>
  [...Map.groupBy(entries, ({ createdAt }) => parseTime(createdAt).toDateString())].map(([day, ofDay]) => (
    <section key={day} className="stack fit gap-2" aria-labelledby={`day-${day}`}>
      <h2 id={`day-${day}`} className="note">
        {formatDay(new Date(day))}
      </h2>
      <ol className="card">{ofDay.map(children)}</ol>
    </section>
  ))

interface EntryProps {
  icon: LucideIcon
  isFailure: boolean
  what: ReactNode
  detail: ReactNode
  createdAt: string
  action?: ReactNode
}

/** One entry of a log: what happened, and when. */
export const Entry = ({ icon: Icon, isFailure, what, detail, createdAt, action }: EntryProps) => (
  <li className={`log-entry small ${isFailure ? 'is-failure' : ''}`}>
    <Icon aria-hidden size={18} strokeWidth={1.6} />
    <div className="anywhere">
      <p>{what}</p>
      {detail && <p className="note">{detail}</p>}
    </div>
    <time
      className="note digits"
      dateTime={parseTime(createdAt).toISOString()}
      title={formatMoment(createdAt)}
    >
      {formatClock(createdAt)}
    </time>
    {action}
  </li>
)
