import { FolderUp, Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../components/fields/button.tsx'
import { texts } from '../../texts.ts'
import { collectInput } from '../../uploads/collect.ts'
import { addUploads } from '../../uploads/start.ts'

/** Opens the browser's file picker, for files or for a folder, and uploads them into `folder`. */
export function pickUploads(folder: string, what: 'files' | 'folder'): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.webkitdirectory = what === 'folder'
  input.onchange = () => {
    if (input.files) void addUploads(collectInput(input.files), folder)
  }
  input.click()
}

/** Buttons that pick files, or a folder with its content. */
export function UploadButtons({ folder }: { folder: string }) {
  const files = useRef<HTMLInputElement>(null)
  const directory = useRef<HTMLInputElement>(null)
  const take = (input: HTMLInputElement) => {
    if (input.files) void addUploads(collectInput(input.files), folder)
    // Allows the same files to be picked again.
    input.value = ''
  }
  return (
    <div className="upload-buttons">
      <Button look="primary" icon={Upload} onClick={() => files.current?.click()}>
        {texts.files.upload}
      </Button>
      <Button className="upload-folder" icon={FolderUp} onClick={() => directory.current?.click()}>
        {texts.files.uploadFolder}
      </Button>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={texts.files.upload}
        onChange={({ target }) => take(target)}
      />
      <input
        ref={directory}
        type="file"
        webkitdirectory=""
        hidden
        aria-label={texts.files.uploadFolder}
        onChange={({ target }) => take(target)}
      />
    </div>
  )
}
