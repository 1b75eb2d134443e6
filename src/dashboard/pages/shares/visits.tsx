import { Download, Eye, FileUp, type LucideIcon, ShieldX } from 'lucide-react'
import { type Share, type ShareVisit, useVisits } from '../../api/shares.ts'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { Older, Time } from '../../components/table.tsx'
import { deviceName, readDevice } from '../../lib/device.ts'
import { withMarks } from '../../lib/format.ts'
import { nameOf } from '../../shares/rules.ts'
import { shareTexts } from '../../texts/shares.ts'

const ICONS: Record<ShareVisit['what'], LucideIcon> = {
  opened: Eye,
  started: Download,
  downloaded: Download,
  uploaded: FileUp,
  refused: ShieldX,
}

/** Visits of a share: what visitors did, when, and on which device. */
export function Visits({ share, onClose }: { share: Share; onClose: () => void }) {
  const history = useVisits(share.id)
  const visits = history.data?.pages.flat()
  return (
    <Dialog title={shareTexts.visitsOf(nameOf(share))} size="side" onClose={onClose}>
      {history.isPending && <Loading />}
      {history.error && !visits && <Failure error={history.error} onRetry={history.refetch} />}
      {visits?.length === 0 && (
        <Empty icon={Eye} title={shareTexts.noVisits}>
          <p>{shareTexts.noVisitsText}</p>
        </Empty>
      )}
      <ul className="visits">
        {visits?.map((visit) => (
          <VisitRow key={visit.id} visit={visit} />
        ))}
      </ul>
      <Older history={history} label={shareTexts.older} />
    </Dialog>
  )
}

function VisitRow({ visit }: { visit: ShareVisit }) {
  const { what, at, address, userAgent } = visit
  const Icon = ICONS[what]
  return (
    <li className={`visit visit-${what} row top gap-3 anywhere`}>
      <Icon aria-hidden size={18} strokeWidth={1.5} />
      <div>
        <p>{deedOf(visit)}</p>
        <small>
          <Time at={at} />
          {' · '}
          <span title={userAgent}>{deviceName(readDevice(userAgent))}</span>
          {' · '}
          {address}
        </small>
      </div>
    </li>
  )
}

function deedOf({ what, name }: ShareVisit): string {
  const { deeds } = shareTexts
  if (what === 'opened' || what === 'refused') return deeds[what]
  return name === null ? deeds.archive : deeds[what](withMarks(name))
}
