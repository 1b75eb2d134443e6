import { useStorage } from '../../api/account.ts'
import { Progress } from '../../components/charts/progress.tsx'
import { Failure, Loading } from '../../components/notice.tsx'
import { formatBytes } from '../../lib/format.ts'
import { texts } from '../../texts.ts'

/** Storage that the own account uses, of its limit if there is one. */
export function Storage() {
  const { data, error, refetch } = useStorage()
  if (error && !data) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Loading />
  const { usedBytes, quota } = data
  const words = texts.ownAccount
  if (quota === null) return <p>{words.used(formatBytes(usedBytes))}</p>
  return (
    <>
      <p>{words.usedOf(formatBytes(usedBytes), formatBytes(quota))}</p>
      <Progress label={words.storage} value={quota === 0 ? 1 : Math.min(usedBytes / quota, 1)} />
      {usedBytes >= quota && <p>{words.storageFull}</p>}
    </>
  )
}
