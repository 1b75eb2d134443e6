import { useInfiniteQuery } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { client } from '../../api/client.ts'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Older } from '../../components/table.tsx'
import { activityTexts } from '../../texts/activity.ts'
import { texts } from '../../texts.ts'
import type { Item } from '../files/items.ts'
import { ItemTable } from '../files/list/item-table.tsx'

/** Results in one request. */
const PAGE = 50

/** Page of the files that were added last, wherever they are. */
export default function RecentPage() {
  const recent = useInfiniteQuery({
    queryKey: ['recent'],
    queryFn: ({ pageParam, signal }) =>
      client.search('', { limit: PAGE, signal, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  })
  const items = recent.data?.pages.flatMap((page) => page.items) ?? []
  const files = items.flatMap((item): Item | [] => (item.kind === 'file' ? { is: 'file', ...item.file } : []))
  return (
    <Page title={texts.pages.recent}>
      {recent.isPending && <Loading />}
      {recent.error && <Failure error={recent.error} onRetry={recent.refetch} />}
      {files.length > 0 && <ItemTable label={texts.pages.recent} items={files} time="createdAt" />}
      {recent.isSuccess && !recent.hasNextPage && files.length === 0 && (
        <Empty icon={Clock} title={texts.files.first} />
      )}
      <Older history={recent} label={activityTexts.older} />
    </Page>
  )
}
