import { memo, useLayoutEffect, useRef, useState } from 'react'
import { useIsCut } from '../clipboard.ts'
import { FavoriteSign } from '../favorites.tsx'
import { Collection } from './collection.tsx'
import { dragProps } from './drag.ts'
import { ItemCheckbox, ItemName, ItemSize, VisibilitySign } from './item-parts.tsx'
import type { LayoutProps, RowProps } from './list.tsx'
import { ItemMenu } from './menus.tsx'
import { Thumbnail } from './thumbnail.tsx'

const GAP = 12
/** Sizes of tiles, and the width of a place from which they are large. */
const TILE = { minWidth: 168, height: 204 }
const LARGE_TILE = { minWidth: 232, height: 264 }
const LARGE_FROM = 1600

/** A folder's items in a grid, pictures as thumbnails. */
export function FileGrid({ items, selection, commands, openMenu, shownId }: LayoutProps) {
  const room = useRef<HTMLDivElement>(null)
  const { columns, height } = useTiles(room)
  return (
    <div ref={room} className="file-grid-place" style={{ '--columns': columns }}>
      <Collection
        key={height}
        items={items}
        selection={selection}
        actions={commands}
        openMenu={openMenu}
        shownId={shownId}
        columns={columns}
        rowHeight={height}
        gap={GAP}
        className="file-grid"
      >
        {(item, place) => (
          <Tile key={item.id} item={item} selection={selection} commands={commands} {...place} />
        )}
      </Collection>
    </div>
  )
}

/** One item, not rendered again while others scroll by. */
const Tile = memo(({ item, index, isCurrent, selection, commands }: RowProps) => (
  <div className="tile-row" role="row" aria-rowindex={index + 1}>
    <div
      className={`tile column gap-0 ${selection.has(item.id) ? 'is-selected' : ''} ${useIsCut(item) ? 'is-cut' : ''}`}
      role="gridcell"
      data-index={index}
      aria-selected={selection.has(item.id)}
      tabIndex={isCurrent ? 0 : -1}
      {...dragProps({ item, selection, commands })}
      draggable={commands.moveInto !== undefined && commands.renamingId !== item.id}
    >
      <Thumbnail item={item} />
      <ItemCheckbox item={item} selection={selection} />
      <div className="tile-text row gap-0">
        <div className="stack gap-0 grow small tight">
          <ItemName
            item={item}
            isRenaming={commands.renamingId === item.id}
            refusedName={commands.refusedName}
            onRenamed={(name) => commands.endRename(item, name)}
          />
          <small className="row gap-1">
            <ItemSize item={item} hasCount />
            <VisibilitySign item={item} />
            <FavoriteSign id={item.id} />
          </small>
        </div>
        <ItemMenu item={item} commands={commands} isCurrent={isCurrent} />
      </div>
    </div>
  </div>
))

/** Returns the number of columns that fit, and the height of their tiles. */
function useTiles(place: { current: HTMLElement | null }): { columns: number; height: number } {
  const [width, setWidth] = useState(4 * TILE.minWidth)
  useLayoutEffect(() => {
    const { current } = place
    if (!current) return
    const measure = () => setWidth(current.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [place])
  const { minWidth, height } = width < LARGE_FROM ? TILE : LARGE_TILE
  return { columns: Math.max(2, Math.floor(width / minWidth)), height }
}
