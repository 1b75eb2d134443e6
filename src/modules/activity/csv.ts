import { iso } from '../../platform/time.ts'
import type { SecurityEventRow } from '../../store/rows.ts'

/** Columns of the export. */
const COLUMNS: Record<string, (entry: SecurityEventRow) => string | null> = {
  time: ({ createdAt }) => iso(createdAt),
  type: ({ type }) => type,
  account: ({ email }) => email,
  account_id: ({ userId }) => userId,
  changed_by: ({ actorId }) => actorId,
  address: ({ ipAddress }) => ipAddress,
  user_agent: ({ userAgent }) => userAgent,
  detail: ({ detail }) => detail,
}

/** Characters at which a spreadsheet takes a cell for a formula; East Asian ones also take the wide forms. */
const IS_FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** Writes a value as a field of CSV (RFC 4180). Text that begins like a formula gets an apostrophe before it. */
export function field(value: string): string {
  const text = IS_FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const lineOf = (values: readonly string[]) => `${values.map(field).join(',')}\r\n`

/** Yields the security log as CSV: a line of headings, then a text for each page. */
export async function* csvOf(pages: AsyncIterable<SecurityEventRow[]>): AsyncGenerator<string> {
  yield lineOf(Object.keys(COLUMNS))
  const columns = Object.values(COLUMNS)
  for await (const page of pages)
    yield page.map((entry) => lineOf(columns.map((column) => column(entry) ?? ''))).join('')
}
