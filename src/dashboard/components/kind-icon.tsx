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
  return <Icon aria-hidden className={`kind-icon kind-${kind}`} size={size} strokeWidth={strokeWidth} />
}
