import { ExternalLink } from 'lucide-react'
import { encode } from 'uqr'
import type { Share } from '../api/shares.ts'
import { Done } from '../components/fields/button.tsx'
import { CopyField } from '../components/fields/copy-field.tsx'
import { Dialog } from '../components/overlays/dialog.tsx'
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

/** Modules of white around the code, so that cameras find it (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** QR code of an address, black on white in both themes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const path = data
    .map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''))
    .join('')
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  )
}
