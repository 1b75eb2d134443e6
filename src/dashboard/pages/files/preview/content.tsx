import { Boundary } from '../../../components/boundary.tsx'
import { previewTexts } from '../../../texts/preview.ts'
import type { FileItem } from '../items.ts'
import { ByContent, PdfPreview } from './by-content.tsx'
import { type ContentKind, kindOfContent } from './kind.ts'
import { Media } from './media.tsx'
import { Picture } from './picture.tsx'
import { Unshown } from './unshown.tsx'

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
