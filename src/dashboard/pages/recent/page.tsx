import { useInfiniteQuery } from '@tanstack/react-query'
import { Clock } from 'lucide-react'
import { client } from '../../api/client.ts'
import type { HoldfastFile } from '../../api/files.ts'
import { useReach } from '../../api/reach.ts'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { Older, RowName, Table, Time } from '../../components/table.tsx'
import { formatBytes, withMarks } from '../../lib/format.ts'
import { parentKey } from '../../lib/paths.ts'
import { Link } from '../../lib/router.tsx'
import { activityTexts } from '../../texts/activity.ts'
import { searchTexts } from '../../texts/search.ts'
import { texts } from '../../texts.ts'
import { RowThumbnail } from '../files/list/thumbnail.tsx'

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
  const files = items.flatMap((item) => (item.kind === 'file' ? item.file : []))
  return (
    <Page title={texts.pages.recent}>
      {recent.isPending && <Loading />}
      {recent.error && <Failure error={recent.error} onRetry={recent.refetch} />}
      {files.length > 0 && <FileTable files={files} />}
      {recent.isSuccess && !recent.hasNextPage && files.length === 0 && (
        <Empty icon={Clock} title={texts.files.first} />
      )}
      <Older history={recent} label={activityTexts.older} />
    </Page>
  )
}

function FileTable({ files }: { files: readonly HoldfastFile[] }) {
  const { top } = useReach()
  const { columns } = texts.trash
  return (
    <Table
      label={texts.pages.recent}
      className="recent-files"
      rows={files}
      columns={[
        { name: columns.name, cell: (file) => <Name file={file} /> },
        {
          name: columns.folder,
          cell: ({ key }) => (
            <Link to="/files" search={{ folder: parentKey(key) }} className="soft anywhere">
              {withMarks(parentKey(key)) || top}
            </Link>
          ),
        },
        { name: searchTexts.added, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { name: columns.size, cell: ({ size }) => formatBytes(size), isNumber: true },
      ]}
    />
  )
}

const Name = ({ file }: { file: HoldfastFile }) => (
  <span className="row gap-3">
    <RowThumbnail item={{ is: 'file', ...file }} />
    <RowName>
      <Link to="/files" search={{ folder: parentKey(file.key), preview: file.id }}>
        {withMarks(file.name)}
      </Link>
    </RowName>
  </span>
)
