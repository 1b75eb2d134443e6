import { useMutation } from '@tanstack/react-query'
import { History, X } from 'lucide-react'
import { memo, useState } from 'react'
import { inWords } from '../../api/client.ts'
import { type Activity, forget, useHistory } from '../../api/instance.ts'
import { useMe } from '../../api/session.ts'
import { Button, IconButton } from '../../components/fields/button.tsx'
import { Segments } from '../../components/fields/select.tsx'
import { ByDay, Entry } from '../../components/log.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import Confirm from '../../components/overlays/confirm.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { Page } from '../../components/page.tsx'
import { Older } from '../../components/table.tsx'
import { formatCount, formatDate, withMarks } from '../../lib/format.ts'
import { navigate, useSearch } from '../../lib/router.tsx'
import { activityTexts } from '../../texts/activity.ts'
import { texts } from '../../texts.ts'
import { iconOf, isFailure, VIEWS } from './kinds.ts'

/** Page of the account's own history. */
export default function ActivityPage() {
  const { scopes } = useMe()
  const views = VIEWS.filter(({ scope }) => scope === undefined || scopes.includes(scope))
  const { show } = useSearch()
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
      <div className="flow stack fit gap-5">
        <div className="log-views scroll">
          <Segments
            label={activityTexts.show}
            value={name}
            options={views.map(({ name: value }) => ({ value, label: activityTexts.views[value] }))}
            onChoose={(value) => navigate({ to: '.', search: value === 'all' ? {} : { show: value } })}
          />
        </div>
        {history.isPending && <Loading />}
        {history.error && <Failure error={history.error} onRetry={history.refetch} />}
        {history.isSuccess && entries.length === 0 && (
          <Empty icon={History} title={activityTexts.empty[name === 'all' ? 'all' : 'view']}>
            <p>{activityTexts.emptyText}</p>
          </Empty>
        )}
        <ByDay entries={entries}>
          {(entry) => (
            <EntryRow key={entry.id} entry={entry} onForget={(id) => forgetting.mutate({ ids: [id] })} />
          )}
        </ByDay>
        <Older history={history} label={activityTexts.older} />
      </div>
    </Page>
  )
}

/** Button that deletes the entries in view; for the whole history, also the older ones. */
export function Clear({ ids, isAll }: { ids: string[]; isAll: boolean }) {
  const [isAsked, ask] = useState(false)
  const clear = useMutation({
    mutationFn: () => forget(isAll ? { all: true } : { ids }),
    onSuccess: (deleted) => toast.done(activityTexts.cleared(formatCount(deleted, texts.nouns.entry))),
  })
  const action = isAll
    ? activityTexts.clearAll
    : activityTexts.clear(formatCount(ids.length, texts.nouns.entry))
  return (
    <>
      <Button isBusy={clear.isPending} onClick={() => ask(true)}>
        {action}
      </Button>
      {isAsked && (
        <Confirm
          title={isAll ? activityTexts.clearAllTitle : activityTexts.clearTitle}
          action={action}
          onConfirm={() => clear.mutate()}
          onClose={() => ask(false)}
        >
          {activityTexts.clearText}
        </Confirm>
      )}
    </>
  )
}

interface EntryRowProps {
  entry: Activity
  onForget: (id: string) => void
}

/** One entry, not rendered again when older ones are loaded. */
const EntryRow = memo(
  ({ entry: { id, type, target, detail, createdAt }, onForget }: EntryRowProps) => {
    const name = withMarks(target ?? activityTexts.unnamed)
    return (
      <Entry
        icon={iconOf(type)}
        isFailure={isFailure(type)}
        what={
          <>
            {activityTexts.deeds[type] ?? type} <strong>{name}</strong>
          </>
        }
        detail={detail && withMarks(isFailure(type) ? inWords(detail) : withDay(detail))}
        createdAt={createdAt}
        action={<IconButton icon={X} label={activityTexts.forget(name)} onClick={() => onForget(id)} />}
      />
    )
  },
  (before, now) => before.entry === now.entry,
)

/** Returns a detail with the day at its end, which the server writes as `YYYY-MM-DD`, in words. */
const withDay = (detail: string) =>
  detail.replace(/^(Expires )(\d{4}-\d\d-\d\d)$/, (_all, what, day) => what + formatDate(`${day}T00:00`))
