import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button, DialogActions } from '../components/fields/button.tsx'
import { Dialog } from '../components/overlays/dialog.tsx'
import { toast } from '../components/overlays/toast.tsx'
import { formatCount } from '../lib/format.ts'
import { lastSegment } from '../lib/paths.ts'
import { UploadVisibility } from '../pages/files/upload-buttons.tsx'
import { browseTexts } from '../texts/browse.ts'
import { texts } from '../texts.ts'
import { addUploads } from '../uploads/start.ts'
import { FIELD } from './cache.ts'
import { dropReceived, readReceived } from './files.ts'

const words = browseTexts.received

interface ReceivedProps {
  count: number
  /** Object key of the folder that is open. */
  folder: string
}

/** Question what to do with files that another app has shared. */
export default function Received({ count, folder }: ReceivedProps) {
  const navigate = useNavigate()
  const leave = () =>
    void navigate({
      to: '/files',
      search: ({ [FIELD]: _, ...others }: Record<string, unknown>) => others,
      replace: true,
    })
  const upload = useMutation({
    mutationFn: async () => {
      const files = await readReceived()
      await dropReceived()
      await addUploads({ files: files.map((file) => ({ file, folder: '' })), emptyFolders: [] }, folder)
    },
    onMutate: leave,
    onError: () => toast.error(texts.errors.title),
  })
  const cancel = () => {
    leave()
    void dropReceived()
  }
  const what = formatCount(count, texts.nouns.file)
  return (
    <Dialog
      title={words.title(what)}
      description={words.lead(lastSegment(folder) || texts.pages.files)}
      onClose={cancel}
    >
      <UploadVisibility />
      <DialogActions>
        <Button onClick={cancel}>{texts.actions.cancel}</Button>
        <Button look="primary" onClick={() => upload.mutate()}>
          {words.upload}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
