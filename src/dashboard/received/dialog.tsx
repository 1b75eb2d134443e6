import { useMutation, useQuery } from '@tanstack/react-query'
import { Button, DialogActions } from '../components/fields/button.tsx'
import { Dialog } from '../components/overlays/dialog.tsx'
import { toast } from '../components/overlays/toast.tsx'
import { formatBytes, formatCount, withMarks } from '../lib/format.ts'
import { lastSegment } from '../lib/paths.ts'
import { navigate, type Search } from '../lib/router.tsx'
import { UploadVisibility } from '../pages/files/upload-buttons.tsx'
import { browseTexts } from '../texts/browse.ts'
import { texts } from '../texts.ts'
import { addUploads } from '../uploads/start.ts'
import { FIELD } from './cache.ts'
import { dropReceived, readReceived } from './files.ts'

const words = browseTexts.received

/** Maximum files that are listed. */
const MAX_NAMES = 20

interface ReceivedProps {
  /** Id of the batch that was shared. */
  batch: string
  /** Object key of the folder that is open. */
  folder: string
}

/** Question what to do with files that another app has shared. */
export default function Received({ batch, folder }: ReceivedProps) {
  const leave = () =>
    navigate({
      to: '/files',
      search: ({ [FIELD]: _, ...others }: Search) => others,
      replace: true,
    })
  const received = useQuery({ queryKey: ['received', batch], queryFn: () => readReceived(batch) })
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      await dropReceived(batch)
      await addUploads({ files: files.map((file) => ({ file, folder: '' })), emptyFolders: [] }, folder)
    },
    onMutate: leave,
    onError: () => toast.error(texts.errors.title),
  })
  const cancel = () => {
    leave()
    void dropReceived(batch)
  }
  const files = received.data ?? []
  if (files.length === 0) return null
  const what = formatCount(files.length, texts.nouns.file)
  const others = files.length - MAX_NAMES
  return (
    <Dialog
      title={words.title(what)}
      description={words.lead(lastSegment(folder) || texts.pages.files)}
      onClose={cancel}
    >
      <ul className="stack gap-2 small">
        {files.slice(0, MAX_NAMES).map(({ name, size }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={at} className="row gap-3">
            <span className="grow cut">{withMarks(name)}</span>
            <span className="rigid soft digits">{formatBytes(size)}</span>
          </li>
        ))}
        {others > 0 && <li className="soft">{words.more(others)}</li>}
      </ul>
      <UploadVisibility folder={folder} />
      <DialogActions>
        <Button onClick={cancel}>{texts.actions.cancel}</Button>
        <Button look="primary" onClick={() => upload.mutate(files)}>
          {words.upload}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
