import { Globe, Lock } from 'lucide-react'
import { useState } from 'react'
import type { Visibility } from '../../api/files.ts'
import { applyVisibilityToAll, type Settings, useSettings } from '../../api/instance.ts'
import { Button, DialogActions } from '../../components/fields/button.tsx'
import { useFormMutation } from '../../components/fields/form.tsx'
import { FormError } from '../../components/notice.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { formatNumber } from '../../language.ts'
import { formatCount } from '../../lib/format.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { texts } from '../../texts.ts'

const countFiles = (count: number) => formatCount(count, texts.nouns.file)

/** Number of files of each visibility, with buttons that change all. */
export function ExistingFiles({ counts }: { counts: Settings['visibilityCounts'] }) {
  const [asked, ask] = useState<Visibility>()
  return (
    <div className="stack gap-1">
      <span className="small medium">{settingsTexts.existingFiles}</span>
      <p className="digits">
        {settingsTexts.counts(formatNumber(counts.public), formatNumber(counts.private))}
      </p>
      <div className="settings-buttons row wrap">
        <Button icon={Lock} disabled={counts.public === 0} onClick={() => ask('private')}>
          {settingsTexts.makeAll.private}
        </Button>
        <Button icon={Globe} disabled={counts.private === 0} onClick={() => ask('public')}>
          {settingsTexts.makeAll.public}
        </Button>
      </div>
      {asked && <ApplyVisibility visibility={asked} onClose={() => ask(undefined)} />}
    </div>
  )
}

interface ApplyVisibilityProps {
  visibility: Visibility
  onClose: () => void
}

/** Dialog that names the number of files that would change. */
function ApplyVisibility({ visibility, onClose }: ApplyVisibilityProps) {
  const { data } = useSettings()
  const apply = useFormMutation({
    mutationFn: applyVisibilityToAll,
    onSuccess: (updated) => {
      onClose()
      toast.done(settingsTexts.applied(countFiles(updated), texts.visibility[visibility].toLowerCase()))
    },
  })
  const count = data?.visibilityCounts[visibility === 'public' ? 'private' : 'public'] ?? 0
  return (
    <Dialog
      title={settingsTexts.applyTitle[visibility]}
      description={settingsTexts.applyText[visibility](countFiles(count))}
      onClose={onClose}
    >
      <FormError error={apply.error} />
      <DialogActions>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button
          look={visibility === 'public' ? 'danger' : 'primary'}
          isBusy={apply.isPending}
          onClick={() => apply.mutate(visibility)}
        >
          {settingsTexts.apply[visibility](countFiles(count))}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
