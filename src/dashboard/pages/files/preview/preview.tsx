import { useQuery } from '@tanstack/react-query'
import { FileQuestion, Info } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { HoldfastError } from '../../../../client/index.ts'
import { Button } from '../../../components/fields/button.tsx'
import { Empty, Failure, Loading } from '../../../components/notice.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { kindOf } from '../../../lib/kinds.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { TakeAlong } from '../dialogs/take-along.tsx'
import type { FileItem } from '../items.ts'

interface PreviewProps {
  file: FileItem
  commands: FileCommands
  onClose: () => void
}

/** Content of a file, as far as a browser can show it. */
export default function Preview({ file, commands, onClose }: PreviewProps) {
  return (
    <Dialog title={file.name} size="large" onClose={onClose}>
      <div className="preview">
        <Content file={file} />
      </div>
      <footer className="preview-actions">
        <p>{`${formatBytes(file.size)} · ${file.mimeType}`}</p>
        <Button icon={Info} onClick={() => commands.show(file)}>
          {texts.files.details}
        </Button>
        <TakeAlong file={file} commands={commands} />
      </footer>
    </Dialog>
  )
}

/** Returns the hosted address, which also serves private files to a signed-in browser without counting traffic. */
const sourceOf = ({ url }: FileItem) => `/${url}`

function Content({ file }: { file: FileItem }) {
  switch (kindOf(file)) {
    case 'image':
      return <img src={sourceOf(file)} alt={file.name} />
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: stored files have no captions
      return <video src={sourceOf(file)} controls />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: stored files have no captions
      return <audio src={sourceOf(file)} controls />
    default:
      if (file.mimeType === 'application/pdf') return <PdfContent file={file} />
      return isText(file) ? <TextContent file={file} /> : <Nothing />
  }
}

const PdfPreview = lazy(() => import('./pdf-preview.tsx'))

const PdfContent = ({ file }: { file: FileItem }) => (
  <Suspense fallback={<Loading />}>
    <PdfPreview url={sourceOf(file)} />
  </Suspense>
)

const Nothing = () => (
  <Empty icon={FileQuestion} title={texts.files.noPreview}>
    <p>{texts.files.noPreviewText}</p>
  </Empty>
)

const isText = ({ mimeType, size }: FileItem) =>
  size === 0 || /^text\/|json|javascript|typescript|xml|yaml|toml|x-sh|sql/.test(mimeType)

/** Maximum bytes of a text that are read. */
const TEXT_BYTES = 256 * 1024

function TextContent({ file }: { file: FileItem }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['text', file.id, file.updatedAt],
    queryFn: ({ signal }) => readText(file, signal),
  })
  if (error) return <Failure error={error} onRetry={refetch} />
  if (data === undefined) return <Loading />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that */}
      <pre className="preview-text" tabIndex={0}>
        {data}
      </pre>
      {file.size > TEXT_BYTES && <p className="preview-cut">{texts.files.cut(formatBytes(TEXT_BYTES))}</p>}
    </>
  )
}

async function readText(file: FileItem, signal: AbortSignal): Promise<string> {
  if (file.size === 0) return ''
  const response = await fetch(sourceOf(file), { signal, headers: { Range: `bytes=0-${TEXT_BYTES - 1}` } })
  if (!response.ok) throw new HoldfastError(texts.errors.unexpected, response)
  return response.text()
}
