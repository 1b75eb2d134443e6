import { useEffect } from 'react'
import { useStorage } from '../api/account.ts'
import { formatBytes } from '../lib/format.ts'
import { texts } from '../texts.ts'

/** Storage of an account that has a limit. It is read again when the last upload ends. */
export function UploadStorage({ hasEnded }: { hasEnded: boolean }) {
  const { data, refetch } = useStorage()
  useEffect(() => {
    if (hasEnded) refetch()
  }, [hasEnded, refetch])
  if (!data || data.quota === null) return null
  return (
    <p className="uploads-storage">
      {texts.ownAccount.storage}:{' '}
      {texts.ownAccount.usedOf(formatBytes(data.usedBytes), formatBytes(data.quota))}
    </p>
  )
}
