import { FileText, Pencil } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../../../components/fields/button.tsx'
import { optionsOf, Segments } from '../../../../components/fields/select.tsx'
import { Boundary, lazyComponent } from '../../../../components/lazy.tsx'
import { Empty, Failure, Loading } from '../../../../components/notice.tsx'
import { formatBytes } from '../../../../lib/format.ts'
import { loadStyle } from '../../../../lib/style.ts'
import { previewTexts } from '../../../../texts/preview.ts'
import type { FileItem } from '../../items.ts'
import { useItemRights } from '../../rights.ts'
import { useEdit } from '../address.ts'
import { Code, useLines } from './code.tsx'
import type { Encoding } from './decode.ts'
import { formatOf } from './language.ts'
import { type Head, joinPages, PAGE_BYTES, type Shown, useHead, useText } from './pages.ts'
import css from './text.css' with { type: 'file' }
import { useWrap, WrapButton } from './wrap.tsx'

loadStyle(css)

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
  if (file.size === 0) {
    return (
      <Empty icon={FileText} title={previewTexts.empty}>
        <EditButton file={file} />
      </Empty>
    )
  }
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
  const [isWrapped, setWrapped] = useWrap(format, shown.text)
  if (query.error && pages.length === 0)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />
  const isLong = file.size > PAGE_BYTES
  const source = <Source shown={shown} language={format.language} isWrapped={isWrapped} />
  return (
    <div className={`text column gap-0 grow ${format.is === 'markdown' ? 'is-document' : ''}`}>
      <Tools file={file} encoding={head.encoding}>
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

/** Maximum size of a text that is edited here. */
const MAX_EDITED = 1024 ** 2

interface ToolsProps {
  file: FileItem
  encoding: Encoding
  children: ReactNode
}

function Tools({ file, encoding, children }: ToolsProps) {
  const { mayWrite } = useItemRights([file])
  const { edit } = previewTexts
  const problem =
    encoding === 'utf-8' ? file.size > MAX_EDITED && edit.tooLarge(formatBytes(MAX_EDITED)) : edit.onlyUtf8
  return (
    <div className="text-tools row gap-3 rigid note">
      <p className="grow digits">
        <span>{ENCODINGS[encoding]}</span>
        {mayWrite && problem && ` · ${problem}`}
      </p>
      {children}
      {!problem && <EditButton file={file} />}
    </div>
  )
}

/** Button that opens the editor, for accounts that may save the file. */
function EditButton({ file }: { file: FileItem }) {
  const { mayWrite } = useItemRights([file])
  const edit = useEdit()
  if (!mayWrite) return null
  return (
    <Button icon={Pencil} onClick={edit}>
      {previewTexts.edit.start}
    </Button>
  )
}

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
