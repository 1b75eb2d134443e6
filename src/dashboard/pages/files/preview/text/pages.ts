import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { isCode } from '../../../../../platform/kinds.ts'
import type { FileItem } from '../../items.ts'
import { readContent } from '../bytes.ts'
import { sniff } from '../kind.ts'
import { countLines, decode, detectEncoding, type Encoding } from './decode.ts'

/** Bytes that are read at a time. Even, so that no character of two bytes is cut. */
export const PAGE_BYTES = 256 * 1024
/** Maximum pages in memory. Those at the other end go when more are read. */
const MAX_PAGES = 8

/** Range of a text. `end` is exclusive. */
interface Range {
  start: number
  end: number
  /** Number of the first line; undefined if the lines before are not counted. */
  firstLine?: number | undefined
  /** Number of the line after the last one. */
  lastLine?: number | undefined
}

interface TextPage extends Range {
  bytes: Uint8Array
}

async function readRange(file: FileItem, { start, end }: Range, signal: AbortSignal): Promise<Uint8Array> {
  if (start >= end) return new Uint8Array()
  const response = await readContent(file, { signal, range: { start, end } })
  return new Uint8Array(await response.arrayBuffer())
}

const firstRange = ({ size }: FileItem): Range => ({
  start: 0,
  end: Math.min(size, PAGE_BYTES),
  firstLine: 1,
})

export const headQuery = (file: FileItem) => ({
  queryKey: ['text-head', file.id, file.updatedAt],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const bytes = await readRange(file, firstRange(file), signal)
    return { bytes, ...recognize(file, bytes) }
  },
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 60_000,
})

/**
 * Recognizes a text or another content. Without zeroes a text has the better claim, whatever its beginning, but for a
 * PDF, which can be all text.
 */
function recognize({ name, mimeType }: FileItem, bytes: Uint8Array) {
  const sniffed = sniff(bytes)
  const encoding = detectEncoding(bytes)
  const isNamedText = isCode(name) || mimeType.startsWith('text/')
  const isPlain = encoding === 'utf-8' || encoding === 'windows-1252'
  const isText = !sniffed || (isPlain && (sniffed.is !== 'pdf' || isNamedText))
  return isText ? { encoding } : { sniffed }
}

/** Queries the beginning of a file, and its encoding if it is a text, or else what it is. */
export const useHead = (file: FileItem) => useQuery(headQuery(file))

export interface Head {
  bytes: Uint8Array
  encoding: Encoding
}

/** Queries a text by ranges, from its start or its end. */
export function useText(file: FileItem, head: Head, from: 'start' | 'end') {
  const { encoding } = head
  const first =
    from === 'start' ? firstRange(file) : { start: Math.max(0, file.size - PAGE_BYTES) & ~1, end: file.size }
  const query = useInfiniteQuery({
    queryKey: ['text', file.id, file.updatedAt, from],
    queryFn: async ({ pageParam, signal }): Promise<TextPage> => {
      const bytes = await readRange(file, pageParam, signal)
      return numbered({ ...pageParam, bytes }, encoding)
    },
    initialPageParam: first as Range,
    ...(from === 'start' && {
      initialData: { pages: [numbered({ ...first, bytes: head.bytes }, encoding)], pageParams: [first] },
    }),
    getNextPageParam: ({ end, lastLine }) =>
      end < file.size
        ? { start: end, end: Math.min(file.size, end + PAGE_BYTES), firstLine: lastLine }
        : undefined,
    getPreviousPageParam: ({ start, firstLine }) =>
      start > 0 ? { start: Math.max(0, start - PAGE_BYTES), end: start, lastLine: firstLine } : undefined,
    maxPages: MAX_PAGES,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return { ...query, pages: query.data?.pages ?? [] }
}

/** Adds the line numbers at both ends of a page, of which one is known. */
function numbered(page: TextPage, encoding: Encoding): TextPage {
  const lines = countLines(page.bytes, encoding)
  const { firstLine, lastLine } = page
  if (firstLine !== undefined) return { ...page, lastLine: firstLine + lines }
  return lastLine === undefined ? page : { ...page, firstLine: lastLine - lines }
}

export interface Shown {
  text: string
  /** Number of the first line; undefined if the lines before are not counted. */
  firstLine: number | undefined
  /** Bytes of the file before and up to the end of the text. */
  start: number
  end: number
}

/** Joins pages to a text. Without the beginning of the file it starts with a whole line. */
export function joinPages(pages: readonly TextPage[], encoding: Encoding): Shown {
  const [first] = pages
  const { start, end } = { start: first?.start ?? 0, end: pages.at(-1)?.end ?? 0 }
  const bytes = new Uint8Array(pages.reduce((sum, page) => sum + page.bytes.length, 0))
  let at = 0
  for (const page of pages) {
    bytes.set(page.bytes, at)
    at += page.bytes.length
  }
  const text = decode(bytes, encoding)
  const firstLine = first?.firstLine
  if (start === 0) return { text, firstLine: firstLine ?? 1, start, end }
  const cut = text.indexOf('\n') + 1
  return { text: text.slice(cut), firstLine: firstLine && cut > 0 ? firstLine + 1 : firstLine, start, end }
}
