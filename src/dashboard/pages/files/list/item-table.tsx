import { useReach } from '../../../api/reach.ts'
import { RowName, Table, Time } from '../../../components/table.tsx'
import { formatBytes, withMarks } from '../../../lib/format.ts'
import { parentKey } from '../../../lib/paths.ts'
import { Link } from '../../../lib/router.tsx'
import { searchTexts } from '../../../texts/search.ts'
import { texts } from '../../../texts.ts'
import { FavoriteButton } from '../favorites.tsx'
import { type Item, isFile } from '../items.ts'
import { RowThumbnail } from './thumbnail.tsx'

interface ItemTableProps {
  label: string
  items: readonly Item[]
  /** Time that a column shows. */
  time: 'createdAt' | 'updatedAt'
}

/** Table of files and folders from all over the tree, each with its folder and its star. */
export function ItemTable({ label, items, time }: ItemTableProps) {
  const { top } = useReach()
  const { columns } = texts.trash
  return (
    <Table
      label={label}
      className="item-table"
      rows={items}
      columns={[
        { name: columns.name, cell: (item) => <Name item={item} /> },
        {
          name: columns.folder,
          cell: ({ key }) => (
            <Link to="/files" search={{ folder: parentKey(key) }} className="soft anywhere">
              {withMarks(parentKey(key)) || top}
            </Link>
          ),
        },
        {
          name: time === 'createdAt' ? searchTexts.added : texts.files.columns.updatedAt,
          cell: (item) => <Time at={item[time]} />,
        },
        { name: columns.size, cell: (item) => isFile(item) && formatBytes(item.size), isNumber: true },
      ]}
      actionsName={texts.files.actions}
      actions={(item) => <FavoriteButton item={item} />}
    />
  )
}

const Name = ({ item }: { item: Item }) => (
  <span className="row gap-3">
    <RowThumbnail item={item} />
    <RowName>
      <Link
        to="/files"
        search={isFile(item) ? { folder: parentKey(item.key), preview: item.id } : { folder: item.key }}
      >
        {withMarks(item.name)}
      </Link>
    </RowName>
  </span>
)
