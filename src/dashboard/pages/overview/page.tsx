import { ChartColumn } from 'lucide-react'
import { type InstanceStats, useStats } from '../../api/stats.ts'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { texts } from '../../texts.ts'
import { Added } from './added.tsx'
import { Alerts } from './alerts.tsx'
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

function Overview({ stats: { files, apiKeys, hosting, users, alerts } }: { stats: InstanceStats }) {
  if (!files && !apiKeys && !users && alerts.length === 0)
    return <Empty icon={ChartColumn} title={texts.overview.nothing} />
  return (
    <div className="flow overview">
      <Alerts alerts={alerts} />
      <Figures files={files} users={users} />
      {hosting && <Traffic days={hosting.days} />}
      {files && <Storage files={files} />}
      {files && <Added days={files.added} />}
      {apiKeys && <KeyUse stats={apiKeys} />}
      {hosting && <TopFiles top={hosting.top} />}
      {files && <LargestFiles files={files.largest} />}
      {files && <RecentFiles files={files.recent} />}
    </div>
  )
}
