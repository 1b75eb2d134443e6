import { type ReactNode, useEffect, useRef } from 'react'
import { formatDistance, formatMoment } from '../lib/format.ts'
import type { Selection } from '../lib/selection.ts'
import { texts } from '../texts.ts'
import { Button } from './fields/button.tsx'
import { CheckTarget, SelectBox } from './fields/select.tsx'

interface Column<Row> {
  /** Heading of the column. In narrow windows it stands before each value. */
  name: string
  cell: (row: Row) => ReactNode
  /** True for numbers, which are aligned at their end. */
  isNumber?: boolean
}

interface TableProps<Row extends { id: string }> {
  label: string
  className?: string
  rows: readonly Row[]
  /** Selection of rows by checkboxes, and a row's name for screen readers. */
  selection?: { of: Selection<Row>; nameOf: (row: Row) => string } | undefined
  /** Columns; the first names the row. */
  columns: readonly [Column<Row>, ...Column<Row>[]]
  /** Heading of the column of menus, for screen readers. */
  actionsName?: string
  actions?: (row: Row) => ReactNode
}

/** Table of records. In narrow windows each becomes a card. */
export function Table<Row extends { id: string }>({
  label,
  className = '',
  rows,
  selection,
  columns,
  actionsName,
  actions,
}: TableProps<Row>) {
  const [first, ...others] = columns
  return (
    <table className={`table card full small ${className}`} aria-label={label}>
      <thead>
        <tr>
          {selection && (
            <th scope="col" className="table-check">
              <AllCheckbox selection={selection.of} count={rows.length} />
            </th>
          )}
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" className={isNumber ? 'is-number' : undefined}>
              {name}
            </th>
          ))}
          {actions && (
            <th scope="col">
              <span className="visually-hidden">{actionsName}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className={selection?.of.has(row.id) ? 'is-selected' : undefined}>
            {selection && (
              <td className="table-check">
                <SelectBox id={row.id} name={selection.nameOf(row)} selection={selection.of} />
              </td>
            )}
            <th scope="row">{first.cell(row)}</th>
            {others.map(({ name, cell, isNumber }) => (
              <td key={name} data-name={name} className={isNumber ? 'is-number' : undefined}>
                {cell(row)}
              </td>
            ))}
            {actions && <td className="table-actions">{actions(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function AllCheckbox<Row extends { id: string }>({
  selection,
  count,
}: {
  selection: Selection<Row>
  count: number
}) {
  const areAll = selection.items.length === count
  return (
    <CheckTarget
      aria-label={texts.files.selectAll}
      checked={areAll}
      onChange={areAll ? selection.clear : selection.selectAll}
    >
      <span className="select-all" aria-hidden>
        {texts.files.selectAll}
      </span>
    </CheckTarget>
  )
}

/** Name of a row, with a note that tells it from others. */
export const RowName = ({ children, note }: { children: ReactNode; note?: ReactNode }) => (
  <span className="row-name anywhere">
    <strong className="medium">{children}</strong>
    {note && <small>{note}</small>}
  </span>
)

/** Time by its distance from now, or in other words; in full for a pointer that rests on it. */
export const Time = ({ at, children = formatDistance(at) }: { at: string; children?: ReactNode }) => (
  <time dateTime={at} title={formatMoment(at)}>
    {children}
  </time>
)

type Look = 'plain' | 'good' | 'warning' | 'danger'

/** Highlighted word: a state, a scope. */
export const Badge = ({ look = 'plain', children }: { look?: Look; children: ReactNode }) => (
  <span className={`badge badge-${look} note`}>{children}</span>
)

interface OlderProps {
  history: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => Promise<unknown>
  }
  /** Text of the button. */
  label: string
}

/** Loader of older entries, when its button is nearly in view or pressed. */
export function Older({ history: { hasNextPage, isFetchingNextPage, fetchNextPage }, label }: OlderProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element || !hasNextPage || isFetchingNextPage) return
    const observer = new IntersectionObserver(
      (seen) => {
        // A busy browser reports several changes at once.
        if (seen.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage()
      },
      { root: element.closest('main'), rootMargin: '800px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div ref={place} className="stack in-middle">
      <Button look="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
}
