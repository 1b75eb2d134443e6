import { useFolderTotals } from '../../../api/files.ts'
import Confirm from '../../../components/overlays/confirm.tsx'
import { formatBytes, formatItems } from '../../../lib/format.ts'
import { texts } from '../../../texts.ts'
import { deleteItems } from '../bulk.ts'
import { countItems, type Item, isFolder, sizeOf } from '../items.ts'

/** Maximum folders that are counted, with one request each. Of more, the dialog shows only the number. */
const MAX_COUNTED = 10

/** Dialog that confirms a deletion and names what is lost. */
export function ConfirmDelete({ items, onClose }: { items: Item[]; onClose: () => void }) {
  const [only] = items
  const what = items.length === 1 && only ? texts.files.quoted(only.name) : formatItems(countItems(items))
  const text = useLossText(items)
  return (
    <Confirm
      title={texts.files.deleteTitle(what)}
      action={texts.files.deleteForGood}
      isReady={text !== undefined}
      onConfirm={() => void deleteItems(items)}
      onClose={onClose}
    >
      {text ?? texts.files.counting}
    </Confirm>
  )
}

/** Returns what would be lost, in words; undefined until it is counted. */
function useLossText(items: Item[]): string | undefined {
  const folders = items.filter(isFolder).map(({ id }) => id)
  const isCounted = folders.length <= MAX_COUNTED
  const below = useFolderTotals(isCounted ? folders : [])
  const { loss } = texts.files
  const own = countItems(items)
  if (!isCounted || below.error) return loss.uncounted(formatItems(own))
  if (!below.data) return undefined
  const size = sizeOf(items) + below.data.size
  const amount = size > 0 ? formatBytes(size) : ''
  if (folders.length === 0) return loss.files(own.files, formatItems(own), amount)
  if (items.length === 1) return loss.folder(formatItems(below.data), amount)
  const all = { files: own.files + below.data.files, folders: own.folders + below.data.folders }
  return loss.mixed(formatItems(all), amount)
}
