import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { useFirstItems } from '../../api/files.ts'
import { useMayShare } from '../../api/instance.ts'
import { useReach } from '../../api/reach.ts'
import { useCan } from '../../api/session.ts'
import { changeShare, endShare, type Share, type ShareFields, useShares } from '../../api/shares.ts'
import { useFormMutation } from '../../components/fields/form.tsx'
import { Segments } from '../../components/fields/select.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { ConfirmChange } from '../../components/overlays/confirm.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { Page } from '../../components/page.tsx'
import { parentKey } from '../../lib/paths.ts'
import { Link } from '../../lib/router.tsx'
import { nameOf, rulesOf, shownItems } from '../../shares/rules.ts'
import { ShareForm } from '../../shares/share-form.tsx'
import { ShareLink } from '../../shares/share-link.tsx'
import { shareTexts } from '../../texts/shares.ts'
import { texts } from '../../texts.ts'
import { type Overlay, ShareTable } from './share-table.tsx'
import { Visits } from './visits.tsx'

type Owners = 'own' | 'all'
const OWNERS = (['own', 'all'] as const).map((value) => ({ value, label: shareTexts.owners[value] }))

/** Page of the account's shares; admins see those of all accounts, too. */
export default function SharesPage() {
  const [overlay, setOverlay] = useState<Overlay>()
  const [owners, setOwners] = useState<Owners>('own')
  const seesAll = useCan('users:manage')
  const mayShare = useMayShare()
  const isAll = seesAll && owners === 'all'
  const { data: shares, error, refetch } = useShares(isAll)
  return (
    <Page
      title={texts.pages.shares}
      actions={
        seesAll && <Segments label={shareTexts.show} value={owners} options={OWNERS} onChoose={setOwners} />
      }
    >
      <p className="page-lead">{shareTexts.lead}</p>
      {error && <Failure error={error} onRetry={refetch} />}
      {!shares && !error && <Loading />}
      {shares && shares.length > 0 && <ShareTable shares={shares} isAll={isAll} onChange={setOverlay} />}
      {shares?.length === 0 && (
        <Empty icon={Share2} title={shareTexts.empty}>
          {mayShare ? <HowToShare /> : <p>{shareTexts.emptyDenied}</p>}
        </Empty>
      )}
      {overlay && <Above overlay={overlay} onClose={() => setOverlay(undefined)} />}
    </Page>
  )
}

function HowToShare() {
  const mayCollect = useCan('files:write')
  return (
    <>
      <p>
        {shareTexts.emptyText} {mayCollect && shareTexts.emptyCollect}
      </p>
      <Link to="/files">{shareTexts.toFiles}</Link>
    </>
  )
}

function Above({ overlay: { is, share }, onClose }: { overlay: Overlay; onClose: () => void }) {
  const name = nameOf(share)
  switch (is) {
    case 'link':
      return <ShareLink title={name} share={share} onClose={onClose} />
    case 'visits':
      return <Visits share={share} onClose={onClose} />
    case 'edit':
      return <EditShare share={share} onClose={onClose} />
    case 'end':
      return (
        <ConfirmChange
          title={shareTexts.endTitle(name)}
          action={shareTexts.end}
          change={() => endShare(share.id)}
          done={shareTexts.ended(name)}
          onClose={onClose}
        >
          {shareTexts.endText}
        </ConfirmChange>
      )
  }
}

/** Dialog that changes the rules of a share. Its link stays the same unless it is changed, too. */
export function EditShare({ share, onClose }: { share: Share; onClose: () => void }) {
  const [start] = useState(() => rulesOf(share))
  const target = targetOf(share)
  const mayReceive = useMayReceiveIn(target)
  const folderId = share.canWrite || mayReceive ? target : undefined
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

/** Returns true unless the account is known to lack a right that receiving files in a folder needs. */
function useMayReceiveIn(folderId: string | undefined): boolean {
  const { entries, may, maySomewhere } = useReach()
  // Its items have the folder's key.
  const { data } = useFirstItems(entries && folderId, 1)
  const [first] = [...(data?.folders ?? []), ...(data?.files ?? [])]
  return (['write', 'share'] as const).every((right) =>
    first ? may(right, parentKey(first.key)) : maySomewhere(right),
  )
}
