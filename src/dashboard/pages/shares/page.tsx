import { Link } from '@tanstack/react-router'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../api/session.ts'
import { endShare, useShares } from '../../api/shares.ts'
import { Segments } from '../../components/fields/segments.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { ConfirmChange } from '../../components/overlays/confirm-change.tsx'
import { Page } from '../../components/page.tsx'
import { ShareLink } from '../../shares/share-link.tsx'
import { nameOf } from '../../shares/shown.ts'
import { shareTexts } from '../../texts/shares.ts'
import { texts } from '../../texts.ts'
import { EditShare } from './edit-share.tsx'
import type { Overlay } from './overlay.ts'
import { ShareTable } from './share-table.tsx'
import { Visits } from './visits.tsx'

type Owners = 'own' | 'all'
const OWNERS = (['own', 'all'] as const).map((value) => ({ value, label: shareTexts.owners[value] }))

/** Page of the account's shares; admins see those of all accounts, too. */
export default function SharesPage() {
  const [overlay, setOverlay] = useState<Overlay>()
  const [owners, setOwners] = useState<Owners>('own')
  const seesAll = useCan('users:manage')
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
          <p>{shareTexts.emptyText}</p>
          <Link to="/files">{shareTexts.toFiles}</Link>
        </Empty>
      )}
      {overlay && <Above overlay={overlay} onClose={() => setOverlay(undefined)} />}
    </Page>
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
