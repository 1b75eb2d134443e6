import { type User, useUsers } from '../../api/users.ts'
import { SearchField } from '../../components/fields/search-field.tsx'
import { Select } from '../../components/fields/select.tsx'
import { withMarks } from '../../lib/marks.ts'
import { securityTexts } from '../../texts/security.ts'
import { KINDS, type Kind } from './kinds.ts'

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
    <search className="toolbar security-filters">
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
        spellCheck={false}
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
