import { Button } from '../components/fields/button.tsx'
import { Dialog, DialogActions } from '../components/overlays/dialog.tsx'
import { withMarks } from '../lib/marks.ts'
import { useStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import { question } from './add.ts'

const words = texts.uploads.conflict
/** Maximum names in the list. Of more, the dialog shows the number. */
const MAX_NAMES = 5

/** Dialog that asks once about all files that already exist. */
export function ConflictDialog() {
  const open = useStore(question)
  if (!open) return null
  const { names, total, answer } = open
  const others = names.length - MAX_NAMES
  return (
    <Dialog
      title={words.title(names.length)}
      description={words.text(total - names.length)}
      onClose={() => answer('cancel')}
    >
      <ul className="conflict-names">
        {/* The same name may stand in several folders. */}
        {names.slice(0, MAX_NAMES).map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>{withMarks(name)}</li>
        ))}
        {others > 0 && <li className="is-soft">{words.more(others)}</li>}
      </ul>
      <DialogActions>
        <Button onClick={() => answer('cancel')}>{texts.actions.cancel}</Button>
        <Button onClick={() => answer('keep-both')}>{words.keepBoth}</Button>
        <Button look="primary" onClick={() => answer('skip')}>
          {words.skip}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
