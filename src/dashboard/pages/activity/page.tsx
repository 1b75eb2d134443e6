import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History, X } from 'lucide-react'
import { memo, useState } from 'react'
import { type Activity, forget, useHistory } from '../../api/instance.ts'
import { useMe } from '../../api/session.ts'
import { Button, IconButton } from '../../components/fields/button.tsx'
import { Segments } from '../../components/fields/select.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import Confirm from '../../components/overlays/confirm.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { Page } from '../../components/page.tsx'
import { Older } from '../../components/table.tsx'
import {
  formatClock,
  formatCount,
  formatDate,
  formatDay,
  formatMoment,
  parseTime,
  withMarks,
} from '../../lib/format.ts'
import { texts } from '../../texts.ts'
import { iconOf, isFailure, VIEWS } from './kinds.ts'

/** Page of the account's own history. */
export default function ActivityPage() {
  const { scopes } = useMe()
  const views = VIEWS.filter(({ scope }) => scope === undefined || scopes.includes(scope))
  const navigate = useNavigate()
  const { show } = useSearch({ strict: false })
  const view = views.find(({ name }) => name === show) ?? VIEWS[0]
  const history = useHistory(view?.types)
  const forgetting = useMutation({ mutationFn: forget })
  const entries = history.data?.pages.flat() ?? []
  const name = view?.name ?? 'all'
  return (
    <Page
      title={texts.pages.activity}
      actions={entries.length > 0 && <Clear isAll={name === 'all'} ids={entries.map(({ id }) => id)} />}
    >
      <div className="flow activity">
        <div className="activity-views">
          <Segments
            label={texts.activity.show}
            value={name}
            options={views.map(({ name: value }) => ({ value, label: texts.activity.views[value] }))}
            onChoose={(value) => void navigate({ to: '.', search: value === 'all' ? {} : { show: value } })}
          />
        </div>
        {history.isPending && <Loading />}
        {history.error && <Failure error={history.error} onRetry={history.refetch} />}
        {history.isSuccess && entries.length === 0 && (
          <Empty icon={History} title={texts.activity.empty[name === 'all' ? 'all' : 'view']}>
            <p>{texts.activity.emptyText}</p>
          </Empty>
        )}
        <Days entries={entries} onForget={(id) => forgetting.mutate({ ids: [id] })} />
        <Older history={history} label={texts.activity.older} />
      </div>
    </Page>
  )
}

/** Button that deletes the entries in view; for the whole history, also the older ones. */
export function Clear({ ids, isAll }: { ids: string[]; isAll: boolean }) {
  const [isAsked, ask] = useState(false)
  const clear = useMutation({
    mutationFn: () => forget(isAll ? { all: true } : { ids }),
    onSuccess: (deleted) => toast.done(texts.activity.cleared(formatCount(deleted, texts.nouns.entry))),
  })
  const action = isAll
    ? texts.activity.clearAll
    : texts.activity.clear(formatCount(ids.length, texts.nouns.entry))
  return (
    <>
      <Button isBusy={clear.isPending} onClick={() => ask(true)}>
        {action}
      </Button>
      {isAsked && (
        <Confirm
          title={isAll ? texts.activity.clearAllTitle : texts.activity.clearTitle}
          action={action}
          onConfirm={() => clear.mutate()}
          onClose={() => ask(false)}
        >
          {texts.activity.clearText}
        </Confirm>
      )}
    </>
  )
}

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
