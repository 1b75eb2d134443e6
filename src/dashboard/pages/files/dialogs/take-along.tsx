import { Download, Share2 } from 'lucide-react'
import { Button } from '../../../components/fields/button.tsx'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { download } from '../downloads.ts'
import type { FileItem } from '../items.ts'

/** Buttons that download, share or copy a file. */
export const TakeAlong = ({ file, commands }: { file: FileItem; commands: FileCommands }) => (
  <>
    <Button icon={Share2} onClick={() => commands.share([file])}>
      {texts.files.share}
    </Button>
    <Button icon={Download} onClick={() => download([file])}>
      {texts.files.download}
    </Button>
  </>
)
