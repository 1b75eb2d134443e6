import { useVirtualizer } from '@tanstack/react-virtual'
import Papa from 'papaparse'
import { useMemo, useRef } from 'react'

const ROW_HEIGHT = 34
/** Maximum columns, rows that the widths are measured by, and widths in characters. */
const MAX_COLUMNS = 200
const MEASURED = 200
const [MIN_WIDTH, MAX_WIDTH] = [5, 40]

interface TableProps {
  text: string
  name: string
  /** True if the text goes on, so that its last row may be cut. */
  isCut: boolean
}

/** Rows of comma- or tab-separated values, the first as the heading. Only those in view are rendered. */
export default function Table({ text, name, isCut }: TableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { heading, rows, template } = useMemo(() => parse(text, isCut), [text, isCut])
  const { getVirtualItems, getTotalSize } = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    useFlushSync: false,
  })
  const style = { gridTemplateColumns: template }
  return (
    <div
      ref={scroller}
      className="sheet grow scroll small digits"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that
      tabIndex={0}
      role="table"
      aria-label={name}
      aria-rowcount={rows.length + 1}
    >
      <div className="sheet-row sheet-heading" role="row" aria-rowindex={1} style={style}>
        <Cells cells={heading} number="#" role="columnheader" below={rows[0]} />
      </div>
      <div className="sheet-body" role="rowgroup" style={{ height: getTotalSize() }}>
        {getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            className="sheet-row"
            role="row"
            aria-rowindex={index + 2}
            style={{ ...style, transform: `translateY(${start}px)` }}
          >
            <Cells cells={rows[index] ?? []} number={String(index + 1)} role="cell" />
          </div>
        ))}
      </div>
    </div>
  )
}

interface CellsProps {
  cells: readonly string[]
  number: string
  role: 'cell' | 'columnheader'
  /** Cells below a heading, which is aligned as they are. */
  below?: readonly string[] | undefined
}

const NUMBER = /^[-+]?[\d.,\s]*\d%?$/

const Cells = ({ cells, number, role, below = cells }: CellsProps) => (
  <>
    <span className="sheet-number" role={role}>
      {number}
    </span>
    {cells.map((cell, column) => (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
        key={column}
        role={role}
        className={NUMBER.test(below[column] ?? '') ? 'is-number' : ''}
        title={cell.length > MAX_WIDTH ? cell : undefined}
      >
        {cell}
      </span>
    ))}
  </>
)

/** Reads separated values, whose separator is the one that fits. Rows of an empty line are left out. */
function parse(text: string, isCut: boolean) {
  const { data } = Papa.parse<string[]>(text, { skipEmptyLines: true })
  const all = isCut && data.length > 1 ? data.slice(0, -1) : data
  const columns = Math.min(MAX_COLUMNS, Math.max(1, ...all.slice(0, MEASURED).map(({ length }) => length)))
  const widths = Array.from({ length: columns }, (_, column) => {
    const lengths = all.slice(0, MEASURED).map((row) => row[column]?.length ?? 0)
    return `${Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, ...[Math.max(...lengths)])) + 3}ch`
  })
  const [heading = [], ...rows] = all.map((row) => row.slice(0, columns))
  const template = `${String(rows.length).length + 4}ch ${widths.join(' ')}`
  return { heading, rows, template }
}
