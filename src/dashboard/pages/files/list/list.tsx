import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo } from 'react'
import type { Order } from '../../../../views/orders.ts'
import { CheckTarget } from '../../../components/fields/select.tsx'
import { formatMoment, formatWhen } from '../../../lib/format.ts'
import type { Selection } from '../../../lib/selection.ts'
import { useMedia, usePreference } from '../../../lib/store.ts'
import { texts } from '../../../texts.ts'
import { densityPreference } from '../../../theme/theme.ts'
import { useIsCut } from '../clipboard.ts'
import type { FileCommands } from '../commands.ts'
import { FavoriteSign } from '../favorites.tsx'
import type { Item } from '../items.ts'
import { nextOrder, parseOrder, useOrder } from '../view.ts'
import { Collection, type CollectionProps } from './collection.tsx'
import { dragProps } from './drag.ts'
import { ItemCheckbox, ItemName, ItemSize, VisibilitySign } from './item-parts.tsx'
import { ItemMenu } from './menus.tsx'
import { RowThumbnail } from './thumbnail.tsx'

const ROW_HEIGHTS = { comfortable: 40, compact: 34 }
/** Height of a row of two lines, or under a finger. */
const TALL_ROW_HEIGHT = 56
const HAS_TALL_ROWS = '(max-width: 36rem), (pointer: coarse)'

export interface LayoutProps extends Pick<CollectionProps, 'items' | 'selection' | 'openMenu' | 'shownId'> {
  commands: FileCommands
}

/** A folder's items in a list. */
export function FileList({ items, selection, commands, openMenu, shownId }: LayoutProps) {
  const [density] = usePreference(densityPreference)
  const rowHeight = useMedia(HAS_TALL_ROWS) ? TALL_ROW_HEIGHT : ROW_HEIGHTS[density]
  return (
    <Collection
      // Rows are measured once.
      key={rowHeight}
      items={items}
      selection={selection}
      actions={commands}
      openMenu={openMenu}
      shownId={shownId}
      columns={1}
      rowHeight={rowHeight}
      className="file-list card"
      header={<ListHeader items={items} selection={selection} />}
    >
      {(item, place) => (
        <ListRow key={item.id} item={item} selection={selection} commands={commands} {...place} />
      )}
    </Collection>
  )
}

function ListHeader({ items, selection }: { items: Item[]; selection: Selection<Item> }) {
  const areAllSelected = items.length > 0 && selection.items.length === items.length
  return (
    <div className="file-row file-list-header" role="row" aria-rowindex={1}>
      <span role="columnheader" className="cell-check">
        <CheckTarget
          aria-label={texts.files.selectAll}
          ref={(box) => {
            if (box) box.indeterminate = selection.items.length > 0 && !areAllSelected
          }}
          checked={areAllSelected}
          onChange={areAllSelected ? selection.clear : selection.selectAll}
        />
      </span>
      <SortHeading by="name" className="cell-name row gap-3" />
      <span role="columnheader" className="cell-visibility row gap-0 note medium">
        {texts.files.columns.visibility}
      </span>
      <SortHeading by="size" className="cell-size note digits" />
      <SortHeading by="updatedAt" className="cell-when note digits" />
      <span role="columnheader" className="cell-menu stack in-middle">
        <span className="visually-hidden">{texts.files.actions}</span>
      </span>
    </div>
  )
}

function SortHeading({ by, className }: { by: Order['by']; className: string }) {
  const [orderName, chooseOrder] = useOrder()
  const order = parseOrder(orderName)
  const isAscending = order.direction === 'ASC'
  const Arrow = isAscending ? ArrowUp : ArrowDown
  const sorted = isAscending ? 'ascending' : 'descending'
  return (
    <span role="columnheader" className={className} aria-sort={order.by === by ? sorted : 'none'}>
      <button
        type="button"
        className="sort-button note medium"
        onClick={() => chooseOrder(nextOrder(orderName, by))}
      >
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
  const isRenaming = commands.renamingId === item.id
  const isCut = useIsCut(item)
  const mayDrag = commands.moveInto !== undefined && !isRenaming
  return (
    <div
      className={`file-row ${selection.has(item.id) ? 'is-selected' : ''} ${isCut ? 'is-cut' : ''}`}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={selection.has(item.id)}
      tabIndex={isCurrent ? 0 : -1}
      {...dragProps({ item, selection, commands })}
      draggable={mayDrag && selection.has(item.id)}
    >
      <span role="gridcell" className="cell-check">
        <ItemCheckbox item={item} selection={selection} />
      </span>
      <span role="gridcell" className="cell-name row gap-3">
        {/* A press beside the name draws a rubber band. */}
        <span className="item-handle row gap-3" draggable={mayDrag}>
          <RowThumbnail item={item} />
          <ItemName
            item={item}
            isRenaming={isRenaming}
            refusedName={commands.refusedName}
            onRenamed={(name) => commands.endRename(item, name)}
          />
          <FavoriteSign id={item.id} />
        </span>
      </span>
      <span role="gridcell" className="cell-visibility row gap-0 note">
        <VisibilitySign item={item} hasWord />
      </span>
      <span role="gridcell" className="cell-size note digits">
        <ItemSize item={item} />
      </span>
      <span role="gridcell" className="cell-when note digits" title={formatMoment(item.updatedAt)}>
        {formatWhen(item.updatedAt)}
      </span>
      <span role="gridcell" className="cell-menu stack in-middle">
        <ItemMenu item={item} commands={commands} isCurrent={isCurrent} />
      </span>
    </div>
  )
})
