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
import { type Item, isFile, type Kind, kindOf } from './items.ts'

const ICONS: Record<Kind, LucideIcon> = {
  image: Image,
  video: Film,
  audio: Music,
  document: FileText,
  archive: FileArchive,
  code: FileCode,
  other: File,
}

export function ItemIcon({ item, size = 20 }: { item: Item; size?: number }) {
  const Icon = isFile(item) ? ICONS[kindOf(item)] : Folder
  return <Icon aria-hidden className={`item-icon item-icon-${item.is}`} size={size} strokeWidth={1.6} />
}
