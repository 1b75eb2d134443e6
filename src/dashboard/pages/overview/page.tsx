import { ChartColumn } from 'lucide-react'
import { useEffect } from 'react'
import { type FileStats, type InstanceStats, type UserStats, useStats } from '../../api/instance.ts'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { formatNumber } from '../../language.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { usePreference } from '../../lib/store.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'
import { Alerts } from './alerts.tsx'
import { Checklist, checklistPreference } from './checklist.tsx'
import { LargestFiles, RecentFiles, Storage, TopFiles } from './files.tsx'
import { LinkedNotice } from './linked-notice.tsx'
import { Added, KeyUse, Traffic } from './traffic.tsx'

/** Page of statistics, as far as the account has permission. */
export default function OverviewPage() {
  const { data, error, refetch } = useStats()
  return (
    <Page title={texts.pages.overview}>
      <LinkedNotice />
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

interface FiguresProps {
  files: FileStats | null
  users: UserStats | null
}

/** Key figures of the instance. */
export function Figures({ files, users }: FiguresProps) {
  const { figures } = overviewTexts
  if (!files && !users) return null
  return (
    <dl className="figures">
      {files && (
        <>
          <Figure
            name={figures.files}
            value={formatNumber(files.total)}
            note={figures.inFolders(formatCount(files.folders - 1, texts.nouns.folder))}
          />
          <Figure
            name={figures.stored}
            value={formatBytes(files.storage.used)}
            note={figures.left(formatBytes(files.storage.available))}
          />
          <Figure
            name={figures.public}
            value={formatNumber(files.visibility.public.count)}
            note={figures.private(formatNumber(files.visibility.private.count))}
          />
        </>
      )}
      {users && (
        <Figure
          name={figures.accounts}
          value={formatNumber(users.total)}
          note={[
            figures.devices(formatCount(users.sessions, texts.nouns.device)),
            ...(users.disabled > 0 ? [figures.disabled(formatNumber(users.disabled))] : []),
          ].join(', ')}
        />
      )}
    </dl>
  )
}

const Figure = ({ name, value, note }: { name: string; value: string; note: string }) => (
  <div>
    <dt className="note">{name}</dt>
    <dd>
      <strong>{value}</strong>
      <small>{note}</small>
    </dd>
  </div>
)
