import type { ReactNode } from 'react'

interface Column<Row> {
  /** Heading of the column. In narrow windows it stands before each value. */
  name: string
  cell: (row: Row) => ReactNode
  /** True for numbers, which are aligned at their end. */
  isNumber?: boolean
}

interface TableProps<Row> {
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Columns; the first names the row. */
  columns: readonly [Column<Row>, ...Column<Row>[]]
  /** Heading of the column of menus, for screen readers. */
  actionsName: string
  actions: (row: Row) => ReactNode
}

/** Table of records. In narrow windows each becomes a card. */
export function Table<Row>({ label, rows, keyOf, columns, actionsName, actions }: TableProps<Row>) {
  const [first, ...others] = columns
  return (
    <table className="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" className={isNumber ? 'is-number' : undefined}>
              {name}
            </th>
          ))}
          <th scope="col">
            <span className="visually-hidden">{actionsName}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first.cell(row)}</th>
            {others.map(({ name, cell, isNumber }) => (
              <td key={name} data-name={name} className={isNumber ? 'is-number' : undefined}>
                {cell(row)}
              </td>
            ))}
            <td className="table-actions">{actions(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Name of a row, with a note that tells it from others. */
export const RowName = ({ children, note }: { children: ReactNode; note?: ReactNode }) => (
  <span className="row-name">
    <strong>{children}</strong>
    {note && <small>{note}</small>}
  </span>
)

type Look = 'plain' | 'good' | 'warning' | 'danger'

/** Highlighted word: a state, a scope. */
export const Badge = ({ look = 'plain', children }: { look?: Look; children: ReactNode }) => (
  <span className={`badge badge-${look}`}>{children}</span>
)
