import { FileQuestion, type LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Boundary } from '../../../components/boundary.tsx'
import { Button } from '../../../components/fields/button.tsx'
import { lazyComponent } from '../../../components/lazy.tsx'
import { Empty } from '../../../components/notice.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { texts } from '../../../texts.ts'
import { download } from '../downloads.ts'
import type { FileItem } from '../items.ts'
import { posterOf } from '../pictures.ts'
import { kindOfContent, sourceOf } from './kind.ts'
import { Picture } from './picture.tsx'

const PdfPreview = lazyComponent(() => import('./pdf-preview.tsx'))
const TextContent = lazyComponent(() => import('./text/text-content.tsx'))

/** Content of a file, as far as a browser can show it. */
export const Content = ({ file }: { file: FileItem }) => (
  <Boundary fallback={<Nothing file={file} />}>
    <ContentOfKind file={file} />
  </Boundary>
)

function ContentOfKind({ file }: { file: FileItem }) {
  switch (kindOfContent(file)) {
    case 'picture':
      return <Picture file={file} fallback={<BrokenPicture file={file} />} />
    case 'video':
    case 'audio':
      return <Media file={file} />
    case 'pdf':
      return <PdfPreview file={file} />
    default:
      return <TextContent file={file} fallback={<Nothing file={file} />} />
  }
}

function Media({ file }: { file: FileItem }) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) {
    return (
      <Unshown file={file} title={previewTexts.brokenMedia}>
        {previewTexts.brokenMediaText}
      </Unshown>
    )
  }
  const props = {
    'aria-label': file.name,
    ...{ src: sourceOf(file), controls: true, onError: () => setBroken(true) },
  }
  if (kindOfContent(file) === 'audio') {
    return <audio {...props} />
  }
  return <video {...props} playsInline poster={posterOf(file)} />
}

const BrokenPicture = ({ file }: { file: FileItem }) => (
  <Unshown file={file} title={previewTexts.broken}>
    {previewTexts.brokenText}
  </Unshown>
)

const Nothing = ({ file }: { file: FileItem }) => (
  <Unshown file={file} icon={FileQuestion} title={previewTexts.none}>
    {texts.files.noPreviewText}
  </Unshown>
)

interface UnshownProps {
  file: FileItem
  icon?: LucideIcon
  title: string
  children: ReactNode
}

/** Panel for a file that cannot be shown: the reason, its facts, and its download. */
const Unshown = ({ file, icon = FileQuestion, title, children }: UnshownProps) => (
  <Empty icon={icon} title={title}>
    <p>{children}</p>
    <p className="viewer-facts">{`${formatBytes(file.size)} · ${file.mimeType}`}</p>
    <Button look="primary" onClick={() => download([file])}>
      {texts.files.download}
    </Button>
  </Empty>
)
