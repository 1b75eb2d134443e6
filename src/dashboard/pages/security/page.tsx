import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, ShieldCheck } from 'lucide-react'
import { exportAddress, type SecurityPart, useSecurityLog } from '../../api/security.ts'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Older } from '../../components/older.tsx'
import { Page } from '../../components/page.tsx'
import { useSettled } from '../../lib/settled.ts'
import { securityTexts } from '../../texts/security.ts'
import { texts } from '../../texts.ts'
import { Events } from './events.tsx'
import { Filters, type LogFilters, readFilters, writeFilters } from './filters.tsx'
import { TYPES_OF } from './kinds.ts'
import css from './security.css' with { type: 'file' }

/** Time after the last key until the log is asked, in milliseconds. */
const SETTLE_MS = 250

const partOf = ({ kind, account, time, address }: LogFilters): SecurityPart => ({
  types: TYPES_OF[kind],
  user: account || undefined,
  address: address.trim() || undefined,
  days: time === 'any' ? undefined : Number(time),
})

/** Page of the instance's security log, for admins. */
export default function SecurityPage() {
  const navigate = useNavigate()
  const filters = readFilters(useSearch({ strict: false }))
  const address = useSettled(filters.address, SETTLE_MS)
  const history = useSecurityLog(partOf({ ...filters, address }))
  const entries = history.data?.pages.flat() ?? []
  const change = (changed: Partial<LogFilters>) =>
    void navigate({ to: '.', search: writeFilters({ ...filters, ...changed }), replace: true })
  return (
    <Page
      title={texts.pages.security}
      actions={
        <a className="button button-plain security-export" href={exportAddress(partOf(filters))} download>
          <Download aria-hidden size={16} />
          {securityTexts.export}
        </a>
      }
    >
      <link rel="stylesheet" href={css} precedence="security" />
      <p className="page-lead">{securityTexts.lead}</p>
      <div className="flow activity security-log">
        <Filters filters={filters} onChange={change} />
        {history.isPending && <Loading />}
        {history.error && <Failure error={history.error} onRetry={history.refetch} />}
        {history.isSuccess && entries.length === 0 && (
          <Empty icon={ShieldCheck} title={securityTexts.empty}>
            <p>{securityTexts.emptyText}</p>
          </Empty>
        )}
        <Events entries={entries} />
        <Older history={history} label={securityTexts.older} />
      </div>
    </Page>
  )
}
