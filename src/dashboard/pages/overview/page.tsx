import { ChartColumn } from 'lucide-react'
import { useEffect } from 'react'
import { type InstanceStats, useStats } from '../../api/stats.ts'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { usePreference } from '../../lib/preference.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'
import { Added } from './added.tsx'
import { Alerts } from './alerts.tsx'
import { Checklist, checklistPreference } from './checklist.tsx'
import { Figures } from './figures.tsx'
import { LargestFiles, RecentFiles, TopFiles } from './file-lists.tsx'
import { KeyUse } from './key-use.tsx'
import { Storage } from './storage.tsx'
import { Traffic } from './traffic.tsx'

/** Page of statistics, as far as the account has permission. */
export default function OverviewPage() {
  const { data, error, refetch } = useStats()
  return (
    <Page title={texts.pages.overview}>
      {data ? <Overview stats={data} /> : error ? <Failure error={error} onRetry={refetch} /> : <Loading />}
    </Page>
  )
}

function Overview({ stats }: { stats: InstanceStats }) {
  const { files, apiKeys, users, alerts } = stats
  const [checklist, setChecklist] = usePreference(checklistPreference)
  const isEmpty = isUnused(stats)
  useEffect(() => {
    if (isEmpty && checklist === 'new') setChecklist('started')
  }, [isEmpty, checklist, setChecklist])
  if (!files && !apiKeys && !users && alerts.length === 0)
    return <Empty icon={ChartColumn} title={overviewTexts.nothing} />
  const hasChecklist = checklist === 'started'
  return (
    <div className="flow overview">
      <Alerts alerts={alerts} />
      {hasChecklist && <Checklist stats={stats} />}
      {isEmpty ? (
        <Empty icon={ChartColumn} title={overviewTexts.noFiles}>
          <p>{overviewTexts.chartsLater}</p>
        </Empty>
      ) : (
        <Charts stats={stats} />
      )}
    </div>
  )
}

const Charts = ({ stats: { files, apiKeys, hosting, users } }: { stats: InstanceStats }) => (
  <>
    <Figures files={files} users={users} />
    {hosting && <Traffic days={hosting.days} />}
    {files && <Storage files={files} />}
    {files && <Added days={files.added} />}
    {apiKeys && <KeyUse stats={apiKeys} />}
    {hosting && <TopFiles top={hosting.top} />}
    {files && <LargestFiles files={files.largest} />}
    {files && <RecentFiles files={files.recent} />}
  </>
)

/** True for an instance whose charts would all be empty. */
const isUnused = ({ files, apiKeys, hosting }: InstanceStats) =>
  files?.total === 0 &&
  files.trash.count === 0 &&
  !apiKeys?.requests.some(({ count }) => count > 0) &&
  !hosting?.days.some(({ requests, notFound }) => requests + notFound > 0)
