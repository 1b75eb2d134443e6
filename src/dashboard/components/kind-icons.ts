import { File, FileArchive, FileCode, FileText, Film, Image, type LucideIcon, Music } from 'lucide-react'
import type { Kind } from '../lib/kinds.ts'

/** Icon of each kind of file. */
export const KIND_ICONS: Record<Kind, LucideIcon> = {
  image: Image,
  video: Film,
  audio: Music,
  document: FileText,
  archive: FileArchive,
  code: FileCode,
  other: File,
}
