import { useQuery } from '@tanstack/react-query'
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from 'pdfjs-dist'
import worker from 'pdfjs-dist/build/pdf.worker.min.mjs' with { type: 'file' }
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Failure, Loading } from '../../../components/notice.tsx'
import { texts } from '../../../texts.ts'
import type { FileItem } from '../items.ts'
import { readContent } from './bytes.ts'
import { sourceOf } from './kind.ts'

GlobalWorkerOptions.workerSrc = worker

interface PdfProps {
  file: FileItem
  /** Shown for what is no PDF, or is damaged or locked. */
  fallback: ReactNode
}

/** Pages of a PDF. Only those in view are read and rendered. */
export default function PdfPreview({ file, fallback }: PdfProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['pdf', file.id, file.updatedAt],
    queryFn: ({ signal }) => open(file, signal),
    // A document holds a worker, so it is discarded when unused.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => () => void data?.loadingTask.destroy(), [data])
  if (error) return <Failure error={error} onRetry={refetch} />
  if (data === null) return fallback
  if (!data) return <Loading />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that
    <div className="pdf" tabIndex={0}>
      {Array.from({ length: data.numPages }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pages have no other name
        <PdfPage key={index} document={data} number={index + 1} />
      ))}
    </div>
  )
}

/** Opens a document. @returns Null for what is no PDF, or is damaged or locked. */
function open(file: FileItem, signal: AbortSignal): Promise<PDFDocumentProxy | null> {
  const task = getDocument({
    url: sourceOf(file),
    enableXfa: false,
    disableStream: true,
    disableAutoFetch: true,
  })
  // Without this, the worker of a document that is closed early would stay.
  signal.addEventListener('abort', () => void task.destroy(), { once: true })
  return task.promise.catch(async () => {
    // The library does not tell a damaged document from one that the server refused.
    await readContent(file, { signal, range: { start: 0, end: 1 } })
    return null
  })
}

function PdfPage({ document, number }: { document: PDFDocumentProxy; number: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const isNear = useIsNear(canvas)
  useEffect(() => {
    const element = canvas.current
    if (!isNear || !element) return
    let cancel = () => {}
    let isGone = false
    const draw = async () => {
      const page = await document.getPage(number)
      if (isGone) return
      const width = element.clientWidth * devicePixelRatio
      const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width })
      element.style.aspectRatio = String(viewport.width / viewport.height)
      element.width = viewport.width
      element.height = viewport.height
      const task = page.render({ canvas: element, viewport })
      cancel = () => task.cancel()
      await task.promise
    }
    // Canceled, or a damaged page. The others are still shown.
    draw().catch(() => {})
    return () => {
      isGone = true
      cancel()
      // A canvas takes much memory, and a document may have a thousand pages.
      element.width = 0
      element.height = 0
    }
  }, [isNear, document, number])
  return (
    <canvas
      ref={canvas}
      className="pdf-page"
      role="img"
      aria-label={texts.files.pdfPage(number, document.numPages)}
    />
  )
}

/** Returns true while an element is near the viewport. */
function useIsNear(element: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: '600px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isNear
}
