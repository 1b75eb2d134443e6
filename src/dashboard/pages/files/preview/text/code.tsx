import { useQuery } from '@tanstack/react-query'
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

/** Maximum characters that are highlighted. The rest of a long text is plain. */
const MAX_HIGHLIGHTED = 256 * 1024
/** Maximum length of a line that is highlighted. A script in one line would be ten thousands of elements. */
const MAX_LINE = 5000

const plainLines = (text: string): Line[] =>
  text === '' ? [] : text.split('\n').map((line) => [[line.endsWith('\r') ? line.slice(0, -1) : line, '']])

/** Returns the lines of a text, in colours as soon as the highlighter is loaded. */
export function useLines(text: string, language: string | undefined): Line[] {
  const { data: highlighter } = useQuery({
    queryKey: ['highlighter'],
    queryFn: () => import('./highlight.ts'),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    enabled: language !== undefined,
  })
  return useMemo(() => {
    if (!highlighter || language === undefined) return plainLines(text)
    const end = text.length > MAX_HIGHLIGHTED ? text.lastIndexOf('\n', MAX_HIGHLIGHTED) + 1 : text.length
    const start = text.slice(0, end)
    if (end === 0 || hasLongLine(start)) return plainLines(text)
    const coloured = highlighter.highlight(end < text.length ? start.slice(0, -1) : start, language)
    return [...coloured, ...plainLines(text.slice(end))]
  }, [text, language, highlighter])
}

export const hasLongLine = (text: string): boolean =>
  text.split('\n', 2000).some(({ length }) => length > MAX_LINE)
