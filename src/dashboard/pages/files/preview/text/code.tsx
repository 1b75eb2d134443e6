import { memo, useMemo } from 'react'
import type { Line } from './highlight.ts'

/** Lines that are laid out together once they come into view. */
const BLOCK = 100

interface CodeProps {
  lines: Line[]
  /** Number of the first line; undefined for none. */
  firstLine?: number | undefined
}

/** Lines of a text. Those out of view are found by the browser's search, but not laid out. */
export function Code({ lines, firstLine }: CodeProps) {
  const blocks = useMemo(
    () =>
      Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, n) =>
        lines.slice(n * BLOCK, (n + 1) * BLOCK),
      ),
    [lines],
  )
  const digits = firstLine === undefined ? 0 : String(firstLine + lines.length).length
  return (
    <code className="lines" style={{ '--digits': digits }}>
      {blocks.map((block, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other name
        <Block key={n} lines={block} firstLine={firstLine && firstLine + n * BLOCK} />
      ))}
    </code>
  )
}

const Block = memo(({ lines, firstLine }: CodeProps) => (
  <span className="lines-block" style={{ '--lines': lines.length }}>
    {lines.map((line, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
      <span key={n} className="line" data-line={firstLine && firstLine + n}>
        {line.map(part)}
        {'\n'}
      </span>
    ))}
  </span>
))

const part = ([text, className]: Line[number], n: number) =>
  className === '' ? (
    text
  ) : (
    <span key={n} className={className}>
      {text}
    </span>
  )
