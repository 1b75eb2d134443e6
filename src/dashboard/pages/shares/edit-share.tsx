import { useState } from 'react'
import { changeShare, type Share, type ShareFields } from '../../api/shares.ts'
import { useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { rulesOf } from '../../shares/rules.ts'
import { ShareForm } from '../../shares/share-form.tsx'
import { nameOf, shownItems } from '../../shares/shown.ts'
import { shareTexts } from '../../texts/shares.ts'

/** Dialog that changes the rules of a share. Its link stays the same unless it is changed, too. */
export function EditShare({ share, onClose }: { share: Share; onClose: () => void }) {
  const [start] = useState(() => rulesOf(share))
  const folderId = targetOf(share)
  const change = useFormMutation({
    mutationFn: (fields: ShareFields) =>
      changeShare(share.id, {
        ...fields,
        // A drop box of the command line names no items: its visitors would find none.
        ...(fields.canRead && share.items.length === 0 && folderId && { items: [{ folderId }] }),
      }),
    onSuccess: () => {
      toast.done(shareTexts.changed)
      onClose()
    },
  })
  return (
    <Dialog title={shareTexts.editTitle(nameOf(share))} onClose={onClose}>
      <ShareForm
        start={start}
        share={share}
        items={shownItems(share)}
        folderId={folderId}
        mutation={change}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** Returns the folder that received files go to: the present one, or the only shared one. */
function targetOf({ folderId, items }: Share): string | undefined {
  const [first] = items.length === 1 ? items : []
  return folderId ?? first?.folderId
}
