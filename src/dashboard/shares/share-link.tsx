import { ExternalLink } from 'lucide-react'
import type { Share } from '../api/shares.ts'
import { Done } from '../components/fields/button.tsx'
import { CopyField } from '../components/fields/copy-field.tsx'
import { Dialog } from '../components/overlays/dialog.tsx'
import { QrCode } from '../components/qr-code.tsx'
import { formatMoment } from '../lib/format.ts'
import { linkTo } from '../lib/paths.ts'
import { shareTexts } from '../texts/shares.ts'
import { texts } from '../texts.ts'

interface ShareLinkProps {
  title: string
  share: Share
  onClose: () => void
}

/** Link of a share: to copy, to scan, and to open. */
export function ShareLink({ title, share, onClose }: ShareLinkProps) {
  const link = linkTo(share)
  return (
    <Dialog title={title} onClose={onClose}>
      <CopyField label={shareTexts.link} text={link} />
      <div className="share-scan">
        <QrCode text={link} label={shareTexts.qr} />
        <div className="share-facts stack gap-2 note">
          <p>{shareTexts.qrText}</p>
          {share.expiresAt !== null && <p>{texts.worksUntil(formatMoment(share.expiresAt))}</p>}
          {share.hasPassword && <p>{shareTexts.sendPassword}</p>}
          <a href={link} target="_blank" rel="noreferrer">
            {shareTexts.open} <ExternalLink aria-hidden size={14} />
          </a>
        </div>
      </div>
      <Done onClose={onClose} />
    </Dialog>
  )
}
