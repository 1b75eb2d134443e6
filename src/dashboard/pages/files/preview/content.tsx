import { useQuery } from '@tanstack/react-query'
import { FileQuestion } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../../components/fields/button.tsx'
import { Boundary, lazyComponent } from '../../../components/lazy.tsx'
import { Empty, Failure, Loading } from '../../../components/notice.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { texts } from '../../../texts.ts'
import { download } from '../downloads.ts'
import type { FileItem } from '../items.ts'
import { posterOf } from '../pictures.ts'
import { readContent } from './bytes.ts'
import { type ContentKind, kindOfContent, type Sniffed, sourceOf } from './kind.ts'
import { Picture } from './picture.tsx'
import { useHead } from './text/pages.ts'

/** Content of a file, as far as a browser can show it. */
export const Content = ({ file }: { file: FileItem }) => (
  <Boundary fallback={<Failed file={file} kind="unknown" />}>
    <ContentOfKind file={file} />
  </Boundary>
)

/** Content by the file's name, and where that fails or says nothing, by its bytes. */
function ContentOfKind({ file }: { file: FileItem }) {
  const kind = kindOfContent(file)
  const fallback = <ByContent file={file} fallback={<Failed file={file} kind={kind} />} />
  switch (kind) {
    case 'picture':
      return <Picture file={file} fallback={fallback} />
    case 'video':
    case 'audio':
      return <Media file={file} fallback={fallback} />
    case 'pdf':
      return <PdfPreview file={file} fallback={fallback} />
    default:
      return fallback
  }
}

function Failed({ file, kind }: { file: FileItem; kind: ContentKind }) {
  const { title, text } = previewTexts.unshown[kind]
  return (
    <Unshown file={file} title={title}>
      {text}
    </Unshown>
  )
}

export const PdfPreview = lazyComponent(() => import('./pdf-preview.tsx'))
const TextContent = lazyComponent(() => import('./text/text-content.tsx'))

/** Maximum size of a file that is read whole, because the server sends it under the type of its name. */
const MAX_BYTES = 24 * 1024 ** 2

interface ByContentProps {
  file: FileItem
  /** Shown for content that is neither a text nor anything else that browsers show. */
  fallback: ReactNode
}

/** File whose name says nothing, or something else than its content: a text, or what its first bytes say. */
export const ByContent = ({ file, fallback }: ByContentProps) => (
  <TextContent file={file} fallback={<NoText file={file} fallback={fallback} />} />
)

function NoText({ file, fallback }: ByContentProps) {
  const { data } = useHead(file)
  const sniffed = data?.sniffed
  // A file that failed under its own type fails under another of its kind, but for a picture that was read as SVG.
  const isKnown = sniffed?.is === kindOfContent(file) && !file.mimeType.includes('svg')
  if (!sniffed || isKnown) return fallback
  if (sniffed.is === 'pdf') return <PdfPreview file={file} fallback={fallback} />
  if (file.size <= MAX_BYTES) return <Whole file={file} sniffed={sniffed} fallback={fallback} />
  return (
    <Unshown file={file} title={previewTexts.large}>
      {previewTexts.largeText(formatBytes(MAX_BYTES))}
    </Unshown>
  )
}

interface WholeProps extends ByContentProps {
  sniffed: Sniffed
}

/**
 * File that is read whole and shown under the type of its content. Browsers do not show a picture that the server
 * sends as text, and it sends each file under the type of its name.
 */
function Whole({ file, sniffed: { is, type }, fallback }: WholeProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['whole', file.id, file.updatedAt],
    queryFn: async ({ signal }) => {
      const bytes = await (await readContent(file, { signal })).arrayBuffer()
      return new Blob([bytes], { type })
    },
    staleTime: Number.POSITIVE_INFINITY,
    // It may be large, and the server has it.
    gcTime: 0,
    structuralSharing: false,
  })
  const src = useAddress(data)
  if (error) return <Failure error={error} onRetry={refetch} />
  if (src === undefined) return <Loading />
  const own = { ...file, mimeType: type }
  if (is === 'picture') return <Picture key={src} file={own} src={src} fallback={fallback} />
  return <Media key={src} file={own} src={src} fallback={fallback} />
}

/** Returns an address of bytes in memory, for as long as they are shown. */
function useAddress(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return address
}

interface MediaProps {
  file: FileItem
  /** Address of the content; the hosted one by default. */
  src?: string
  /** Shown for what the browser cannot play. */
  fallback: ReactNode
}

/** Video or audio with the browser's controls. */
export function Media({ file, src, fallback }: MediaProps) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return fallback
  const fail = () => setBroken(true)
  const props = {
    'aria-label': file.name,
    src: src ?? sourceOf(file),
    controls: true,
    onError: fail,
    // It may have failed before it was in the page, where its listener did not hear of it.
    ref: (media: HTMLMediaElement | null) => void (media?.error && fail()),
  }
  if (kindOfContent(file) === 'audio') {
    return <audio {...props} />
  }
  return <video {...props} playsInline poster={src === undefined ? posterOf(file) : undefined} />
}

interface UnshownProps {
  file: FileItem
  title: string
  children: ReactNode
}

/** Panel for a file that cannot be shown: the reason, its facts, and its download. */
export const Unshown = ({ file, title, children }: UnshownProps) => (
  <Empty icon={FileQuestion} title={title}>
    <p>{children}</p>
    <p className="note">{`${formatBytes(file.size)} · ${file.mimeType}`}</p>
    <Button look="primary" onClick={() => download([file])}>
      {texts.files.download}
    </Button>
  </Empty>
)
