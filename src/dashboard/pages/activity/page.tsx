import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { forget, useHistory } from '../../api/activity.ts'
import { useMe } from '../../api/session.ts'
import { Segments } from '../../components/fields/segments.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Older } from '../../components/older.tsx'
import { Page } from '../../components/page.tsx'
import { texts } from '../../texts.ts'
import { Clear } from './clear.tsx'
import { Days } from './days.tsx'
import { VIEWS } from './kinds.ts'

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
