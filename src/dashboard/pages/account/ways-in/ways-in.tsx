import { useWaysIn } from '../../../api/ways-in.ts'
import { Failure, Loading } from '../../../components/notice.tsx'
import { loadStyle } from '../../../lib/style.ts'
import { Codes } from './codes.tsx'
import css from './ways-in.css' with { type: 'file' }

loadStyle(css)

/** Ways in which the account signs in, beside its password. */
export function WaysIn() {
  const { data: ways, error, refetch } = useWaysIn()
  if (error && !ways) return <Failure error={error} onRetry={refetch} />
  if (!ways) return <Loading />
  return <Codes ways={ways} />
}
