import {
  File,
  FileArchive,
  FileCode,
  FileText,
  Film,
  Folder,
  Image,
  type LucideIcon,
  Music,
} from 'lucide-react'
import type { Kind } from '../../platform/kinds.ts'
import { instanceLogo, instanceName } from '../lib/instance.ts'
import { Link } from '../lib/router.tsx'

const ICONS: Record<Kind | 'folder', LucideIcon> = {
  folder: Folder,
  image: Image,
  video: Film,
  audio: Music,
  document: FileText,
  archive: FileArchive,
  code: FileCode,
  other: File,
}

/** Icon of a folder or of a kind of file, in its tint. */
export function KindIcon({ kind, size = 20 }: { kind: Kind | 'folder'; size?: number }) {
  const Icon = ICONS[kind]
  const strokeWidth = size > 24 ? 1.2 : 1.6
  return <Icon aria-hidden className="kind-icon" style={tintOf(kind)} size={size} strokeWidth={strokeWidth} />
}

/** Returns the style of an element in the tint of a kind. */
export const tintOf = (kind: Kind | 'folder') => ({ '--tint': `var(--kind-${kind})` })

/** A kelp's holdfast: the root that keeps it where it is. */
export const Logo = () => (
  <span className="logo">
    {instanceLogo ? (
      <img src={instanceLogo} alt="" width="28" height="28" />
    ) : (
      <svg aria-hidden viewBox="0 0 32 32" width="28" height="28">
        <rect width="32" height="32" rx="8" />
        <path d="M16 5.500v21M16 11c4.200 0 6-2 6.500-4.500M16 14.500c-4.200 0-6-2-6.500-4.500M16 17.500c0 4-2.500 7-7.500 8.500M16 17.500c0 4 2.500 7 7.500 8.500" />
      </svg>
    )}
    {instanceName}
  </span>
)

/** Logo that links to the first page. */
export const HomeLink = ({ onNavigate }: { onNavigate?: (() => void) | undefined }) => (
  <Link to="/" className="home-link" {...(onNavigate ? { onClick: onNavigate } : {})}>
    <Logo />
  </Link>
)
