import { FileQuestion } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/fields/button.tsx'
import { Empty } from '../../../components/notice.tsx'
import { formatBytes } from '../../../lib/format.ts'
import { texts } from '../../../texts.ts'
import { download } from '../downloads.ts'
import type { FileItem } from '../items.ts'

interface UnshownProps {
  file: FileItem
  title: string
  children: ReactNode
}

/** Panel for a file that cannot be shown: the reason, its facts, and its download. */
export const Unshown = ({ file, title, children }: UnshownProps) => (
  <Empty icon={FileQuestion} title={title}>
    <p>{children}</p>
    <p className="viewer-facts">{`${formatBytes(file.size)} · ${file.mimeType}`}</p>
    <Button look="primary" onClick={() => download([file])}>
      {texts.files.download}
    </Button>
  </Empty>
)
