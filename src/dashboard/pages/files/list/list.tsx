import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo } from 'react'
import type { Order } from '../../../api/files.ts'
import { formatBytes, formatMoment } from '../../../lib/format.ts'
import { usePreference } from '../../../lib/preference.ts'
import { formatWhen } from '../../../lib/relative-time.ts'
import type { Selection } from '../../../lib/selection.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { type Item, isFile } from '../items.ts'
import { nextOrder, orderPreference, parseOrder } from '../view.ts'
import { Collection, type CollectionProps } from './collection.tsx'
import { dragProps } from './drag.ts'
import { ItemIcon } from './item-icon.tsx'
import { ItemMenu } from './item-menu.tsx'
import { ItemCheckbox, ItemName, selectOnClick, VisibilitySign } from './item-parts.tsx'

const ROW_HEIGHT = 40

export interface LayoutProps extends Pick<CollectionProps, 'items' | 'selection'> {
  commands: FileCommands
}

/** A folder's items in a list. */
export const FileList = ({ items, selection, commands }: LayoutProps) => (
  <Collection
    items={items}
    selection={selection}
    actions={commands}
    columns={1}
    rowHeight={ROW_HEIGHT}
    className="file-list"
    header={<ListHeader items={items} selection={selection} />}
  >
    {(item, place) => (
      <ListRow key={item.id} item={item} selection={selection} commands={commands} {...place} />
    )}
  </Collection>
)

function ListHeader({ items, selection }: { items: Item[]; selection: Selection<Item> }) {
  const areAllSelected = items.length > 0 && selection.items.length === items.length
  return (
    <div className="file-row file-list-header" role="row" aria-rowindex={1}>
      <span role="columnheader" className="cell-check">
        <input
          type="checkbox"
          className="checkbox"
          aria-label={texts.files.selectAll}
          checked={areAllSelected}
          onChange={areAllSelected ? selection.clear : selection.selectAll}
        />
      </span>
      <SortHeading by="name" className="cell-name" />
      <span role="columnheader" className="cell-visibility">
        {texts.files.facts.visibility}
      </span>
      <SortHeading by="size" className="cell-size" />
      <SortHeading by="updatedAt" className="cell-when" />
      <span role="columnheader" className="cell-menu">
        <span className="visually-hidden">{texts.files.actions}</span>
      </span>
    </div>
  )
}

function SortHeading({ by, className }: { by: Order['by']; className: string }) {
  const [orderName, chooseOrder] = usePreference(orderPreference)
  const order = parseOrder(orderName)
  const isAscending = order.direction === 'ASC'
  const Arrow = isAscending ? ArrowUp : ArrowDown
  const sorted = isAscending ? 'ascending' : 'descending'
  return (
    <span role="columnheader" className={className} aria-sort={order.by === by ? sorted : 'none'}>
      <button type="button" className="sort-button" onClick={() => chooseOrder(nextOrder(orderName, by))}>
        {texts.files.columns[by]}
        {order.by === by && <Arrow aria-hidden size={14} />}
      </button>
    </span>
  )
}

export interface RowProps {
  item: Item
  index: number
  isCurrent: boolean
  selection: Selection<Item>
  commands: FileCommands
}

/** One row, not rendered again while others scroll by. */
const ListRow = memo(({ item, index, isCurrent, selection, commands }: RowProps) => {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the collection around it listens to the keys of all
    <div
      className={`file-row ${selection.has(item.id) ? 'is-selected' : ''}`}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={selection.has(item.id)}
      tabIndex={isCurrent ? 0 : -1}
      onClick={selectOnClick({ item, selection })}
      onDoubleClick={() => commands.open(item)}
      {...(commands.moveInto && dragProps({ item, selection, moveInto: commands.moveInto }))}
    >
      <span role="gridcell" className="cell-check">
        <ItemCheckbox item={item} selection={selection} />
      </span>
      <span role="gridcell" className="cell-name">
        <ItemIcon item={item} />
        <ItemName
          item={item}
          isRenaming={commands.renamingId === item.id}
          onOpen={() => commands.open(item)}
          onRenamed={(name) => commands.endRename(item, name)}
        />
      </span>
      <span role="gridcell" className="cell-visibility">
        <VisibilitySign item={item} hasWord />
      </span>
      <span role="gridcell" className="cell-size">
        {isFile(item) ? formatBytes(item.size) : ''}
      </span>
      <span role="gridcell" className="cell-when" title={formatMoment(item.updatedAt)}>
        {formatWhen(item.updatedAt)}
      </span>
      <span role="gridcell" className="cell-menu">
        <ItemMenu item={item} commands={commands} isCurrent={isCurrent} />
      </span>
    </div>
  )
})
