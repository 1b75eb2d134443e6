import { Boundary } from '../../../components/boundary.tsx'
import { lazyComponent } from '../../../components/lazy.tsx'
import { previewTexts } from '../../../texts/preview.ts'
import { texts } from '../../../texts.ts'
import type { FileItem } from '../items.ts'
import { ByContent } from './by-content.tsx'
import { kindOfContent } from './kind.ts'
import { Media } from './media.tsx'
import { Picture } from './picture.tsx'
import { Unshown } from './unshown.tsx'

const PdfPreview = lazyComponent(() => import('./pdf-preview.tsx'))

/** Content of a file, as far as a browser can show it. */
export const Content = ({ file }: { file: FileItem }) => (
  <Boundary fallback={<Nothing file={file} />}>
    <ContentOfKind file={file} />
  </Boundary>
)

/** Content by the file's name, and where that fails or says nothing, by its bytes. */
function ContentOfKind({ file }: { file: FileItem }) {
  switch (kindOfContent(file)) {
    case 'picture':
      return (
        <Picture file={file} fallback={<ByContent file={file} fallback={<BrokenPicture file={file} />} />} />
      )
    case 'video':
    case 'audio':
      return <Media file={file} fallback={<ByContent file={file} fallback={<BrokenMedia file={file} />} />} />
    case 'pdf':
      return <PdfPreview file={file} />
    default:
      return <ByContent file={file} fallback={<Nothing file={file} />} />
  }
}

const BrokenPicture = ({ file }: { file: FileItem }) => (
  <Unshown file={file} title={previewTexts.broken}>
    {previewTexts.brokenText}
  </Unshown>
)

const BrokenMedia = ({ file }: { file: FileItem }) => (
  <Unshown file={file} title={previewTexts.brokenMedia}>
    {previewTexts.brokenMediaText}
  </Unshown>
)

const Nothing = ({ file }: { file: FileItem }) => (
  <Unshown file={file} title={previewTexts.none}>
    {texts.files.noPreviewText}
  </Unshown>
)
