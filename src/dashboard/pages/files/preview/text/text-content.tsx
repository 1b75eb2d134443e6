import { FileText, WrapText } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Button, IconButton } from '../../../../components/fields/button.tsx'
import { optionsOf, Segments } from '../../../../components/fields/select.tsx'
import { Boundary, lazyComponent } from '../../../../components/lazy.tsx'
import { Empty, Failure, Loading } from '../../../../components/notice.tsx'
import { formatBytes } from '../../../../lib/format.ts'
import { createPreference, usePreference } from '../../../../lib/store.ts'
import { previewTexts } from '../../../../texts/preview.ts'
import type { FileItem } from '../../items.ts'
import { Code, hasLongLine, useLines } from './code.tsx'
import type { Encoding } from './decode.ts'
import { type Format, formatOf } from './language.ts'
import { type Head, joinPages, PAGE_BYTES, type Shown, useHead, useText } from './pages.ts'
import css from './text.css' with { type: 'file' }

const Markdown = lazyComponent(() => import('./markdown.tsx'))
const Table = lazyComponent(() => import('./table.tsx'))

interface TextProps {
  file: FileItem
  /** Shown for a file that is no text. */
  fallback: ReactNode
}

/** Text of any encoding: as code, a document or a table by its name and content. */
export default function TextContent({ file, fallback }: TextProps) {
  const { data, error, refetch } = useHead(file)
  if (file.size === 0) return <Empty icon={FileText} title={previewTexts.empty} />
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Loading />
  const { bytes, encoding } = data
  return encoding ? <Text file={file} head={{ bytes, encoding }} /> : fallback
}

type Part = 'start' | 'end'
type Look = 'rendered' | 'source'

const ENCODINGS: Record<Encoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Latin-1',
}

/** Text of a file by ranges, with the tools above and the amount below. */
function Text({ file, head }: { file: FileItem; head: Head }) {
  const [part, setPart] = useState<Part>('start')
  const [look, setLook] = useState<Look>('rendered')
  const query = useText(file, head, part)
  const { pages } = query
  const shown = useMemo(() => joinPages(pages, head.encoding), [pages, head.encoding])
  const format = useMemo(() => formatOf(file.name, shown.text.slice(0, 200)), [file.name, shown])
  const looks = format.is === 'markdown' || format.is === 'table' ? previewTexts.looks[format.is] : undefined
  const isSource = !looks || look === 'source'
  const [isWrapped, setWrapped] = useWrap(format, shown)
  if (query.error && pages.length === 0)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />
  const isLong = file.size > PAGE_BYTES
  const source = <Source shown={shown} language={format.language} isWrapped={isWrapped} />
  return (
    <div className={`text column gap-0 grow ${format.is === 'markdown' ? 'is-document' : ''}`}>
      <link rel="stylesheet" href={css} precedence="viewer" />
      <Tools encoding={head.encoding}>
        {isLong && isSource && (
          <Segments
            label={previewTexts.part}
            value={part}
            options={optionsOf(['start', 'end'], previewTexts.parts)}
            onChoose={setPart}
          />
        )}
        {looks && (
          <Segments
            label={previewTexts.look}
            value={look}
            options={optionsOf(['rendered', 'source'], looks)}
            onChoose={setLook}
          />
        )}
        {isSource && <WrapButton isWrapped={isWrapped} onWrap={setWrapped} />}
      </Tools>
      {format.is === 'table' && !isSource ? (
        <Table text={shown.text} name={file.name} isCut={shown.end < file.size} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that
        <section className="text-body grow scroll" tabIndex={0} aria-label={file.name} key={part}>
          {query.hasPreviousPage && (
            <Button isBusy={query.isFetching} onClick={() => void query.fetchPreviousPage()}>
              {previewTexts.earlier}
            </Button>
          )}
          {isSource ? (
            source
          ) : (
            <Boundary fallback={source}>
              <Markdown text={shown.text} file={file} />
            </Boundary>
          )}
        </section>
      )}
      {isLong && (
        <Amount
          shown={shown}
          size={file.size}
          isBusy={query.isFetching}
          onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
        />
      )}
    </div>
  )
}

const Tools = ({ encoding, children }: { encoding: Encoding; children: ReactNode }) => (
  <div className="text-tools row gap-3 rigid note">
    <p className="grow digits">{ENCODINGS[encoding]}</p>
    {children}
  </div>
)

interface WrapProps {
  isWrapped: boolean
  onWrap: (isWrapped: boolean) => void
}

const WrapButton = ({ isWrapped, onWrap }: WrapProps) => (
  <IconButton
    icon={WrapText}
    label={previewTexts.wrap}
    aria-pressed={isWrapped}
    onClick={() => onWrap(!isWrapped)}
  />
)

interface AmountProps {
  shown: Shown
  size: number
  isBusy: boolean
  /** Reads the next range; undefined after the last. */
  onMore: (() => void) | undefined
}

/** Amount of a long text that is shown, and the button for more. */
const Amount = ({ shown, size, isBusy, onMore }: AmountProps) => (
  <footer className="text-tools text-amount row gap-3 rigid note">
    <p className="grow digits" role="status">
      {previewTexts.amount(formatBytes(shown.end - shown.start), formatBytes(size))}
    </p>
    {onMore && (
      <Button isBusy={isBusy} onClick={onMore}>
        {previewTexts.more}
      </Button>
    )}
  </footer>
)

interface SourceProps {
  shown: Shown
  language: string | undefined
  isWrapped: boolean
}

function Source({ shown, language, isWrapped }: SourceProps) {
  const lines = useLines(shown.text, language)
  return (
    <pre className={isWrapped ? 'is-wrapped' : ''}>
      <Code lines={lines} firstLine={shown.firstLine} />
    </pre>
  )
}

const wrapPreference = createPreference('wrap', ['auto', 'on', 'off'], 'auto')

/** Windows in which lines are wrapped unless the reader chose otherwise. */
const NARROW = '(max-width: 48rem)'

/** Tracks whether lines are wrapped: as chosen, else where they would leave the view. */
function useWrap(
  format: Format,
  { text }: Shown,
): [isWrapped: boolean, setWrapped: (isWrapped: boolean) => void] {
  const [chosen, choose] = usePreference(wrapPreference)
  const isNeeded = useMemo(
    () => format.is === 'text' || matchMedia(NARROW).matches || hasLongLine(text),
    [format, text],
  )
  return [chosen === 'auto' ? isNeeded : chosen === 'on', (isWrapped) => choose(isWrapped ? 'on' : 'off')]
}
