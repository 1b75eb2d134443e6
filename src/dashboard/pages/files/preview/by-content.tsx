import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { lazyComponent } from '../../../components/lazy.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { previewTexts } from '../../../texts/preview.ts'
import type { FileItem } from '../items.ts'
import { readContent } from './bytes.ts'
import { kindOfContent } from './kind.ts'
import { Media } from './media.tsx'
import { Picture } from './picture.tsx'
import type { Sniffed } from './sniff.ts'
import { useHead } from './text/pages.ts'
import { Unshown } from './unshown.tsx'

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
