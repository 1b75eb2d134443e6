import { Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from '../components/overlays/toast.tsx'
import { lastSegment } from '../lib/keys.ts'
import { withMarks } from '../lib/marks.ts'
import { useStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { addUploads } from './add.ts'
import { collectDrop } from './collect.ts'
import { uploadTarget } from './target.ts'

/** Drop target for files and folders: the whole window. */
export function DropZone() {
  const target = useStore(uploadTarget)
  const isOver = useFileDrop((transfer) => {
    collectDrop(transfer)
      .then((collected) => addUploads(collected, target))
      .catch(() => toast.error(texts.uploads.unreadable))
  })
  if (!isOver) return null
  return (
    <div className="drop-zone" aria-hidden>
      <Upload size={32} strokeWidth={1.5} />
      <p>{texts.uploads.dropInto(withMarks(lastSegment(target)))}</p>
    </div>
  )
}

/** Returns true while files are dragged over the window. `onDrop` receives them. */
function useFileDrop(onDrop: (transfer: DataTransfer) => void): boolean {
  // Enter and leave events of the elements below come in pairs.
  const [depth, setDepth] = useState(0)
  useEffect(() => {
    const listeners = new AbortController()
    const listen = (
      type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
      act: (transfer: DataTransfer) => void,
    ) =>
      window.addEventListener(
        type,
        (event) => {
          if (!event.dataTransfer?.types.includes('Files')) return
          event.preventDefault()
          act(event.dataTransfer)
        },
        listeners,
      )
    listen('dragenter', () => setDepth((count) => count + 1))
    listen('dragleave', () => setDepth((count) => Math.max(0, count - 1)))
    listen('dragover', (transfer) => {
      transfer.dropEffect = 'copy'
    })
    listen('drop', (transfer) => {
      setDepth(0)
      onDrop(transfer)
    })
    return () => listeners.abort()
  }, [onDrop])
  return depth > 0
}
