import { Download, ShieldCheck } from 'lucide-react'
import { type User, useUsers } from '../../api/accounts.ts'
import { exportAddress, type SecurityPart, useSecurityLog } from '../../api/instance.ts'
import { SearchField } from '../../components/fields/field.tsx'
import { Select } from '../../components/fields/select.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Older } from '../../components/table.tsx'
import { withMarks } from '../../lib/format.ts'
import { navigate, useSearch } from '../../lib/router.tsx'
import { useSettled } from '../../lib/store.ts'
import { securityTexts } from '../../texts/security.ts'
import { texts } from '../../texts.ts'
import { Events, KINDS, type Kind, TYPES_OF } from './events.tsx'

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
  const filters = readFilters(useSearch())
  const address = useSettled(filters.address, SETTLE_MS)
  const history = useSecurityLog(partOf({ ...filters, address }))
  const entries = history.data?.pages.flat() ?? []
  const change = (changed: Partial<LogFilters>) =>
    navigate({ to: '.', search: writeFilters({ ...filters, ...changed }), replace: true })
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
      <p className="page-lead">{securityTexts.lead}</p>
      <div className="flow security-log stack fit gap-5">
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

const TIMES = ['any', '1', '7', '30'] as const
type Time = (typeof TIMES)[number]

/** Filters of the log, as the page's address has them. */
export interface LogFilters {
  kind: Kind
  /** Id of an account; empty for all. */
  account: string
  time: Time
  address: string
}

const oneOf = <Value extends string>(values: readonly Value[], text: unknown, other: Value): Value =>
  values.find((value) => value === text) ?? other

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** Reads filters from an address. What is unknown counts as no filter. */
export const readFilters = (search: Record<string, unknown>): LogFilters => ({
  kind: oneOf(KINDS, search['kind'], 'all'),
  account: textOf(search['account']),
  time: oneOf(TIMES, search['time'], 'any'),
  address: textOf(search['address']),
})

/** Writes filters for an address. */
export const writeFilters = ({ kind, account, time, address }: LogFilters) => ({
  kind: kind === 'all' ? undefined : kind,
  account: account || undefined,
  time: time === 'any' ? undefined : time,
  address: address || undefined,
})

interface FiltersProps {
  filters: LogFilters
  onChange: (change: Partial<LogFilters>) => void
}

/** Choice of kind, account, time and address. */
export function Filters({ filters, onChange }: FiltersProps) {
  const { data: users = [] } = useUsers()
  return (
    <search className="toolbar row wrap security-filters">
      <Select
        label={securityTexts.kind}
        value={filters.kind}
        options={KINDS.map((value) => ({ value, label: securityTexts.kinds[value] }))}
        onChoose={(kind) => onChange({ kind })}
      />
      <Select
        label={securityTexts.account}
        value={filters.account}
        options={accountOptions(users, filters.account)}
        onChoose={(account) => onChange({ account })}
      />
      <Select
        label={securityTexts.time}
        value={filters.time}
        options={TIMES.map((value) => ({ value, label: securityTexts.times[value] }))}
        onChoose={(time) => onChange({ time })}
      />
      <SearchField
        label={securityTexts.address}
        value={filters.address}
        spellCheck="false"
        onChange={(address) => onChange({ address })}
      />
    </search>
  )
}

/** Returns the accounts to choose from. One that is gone stays in the address, and so in the choice. */
function accountOptions(users: readonly User[], chosen: string) {
  const known = users.map(({ id, email }) => ({ value: id, label: withMarks(email) }))
  const isKnown = chosen === '' || users.some(({ id }) => id === chosen)
  return [
    { value: '', label: securityTexts.anyAccount },
    ...known,
    ...(isKnown ? [] : [{ value: chosen, label: securityTexts.unknown }]),
  ]
}
