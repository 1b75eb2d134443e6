import {
  CircleSlash,
  FileUp,
  FolderX,
  KeyRound,
  Link,
  type LucideIcon,
  Trash2,
  TriangleAlert,
  UserRound,
} from 'lucide-react'
import type { Scope } from '../../../client/index.ts'
import { activityTexts } from '../../texts/activity.ts'

const TYPES = Object.keys(activityTexts.deeds)

const ofKind = (kind: string) => TYPES.filter((type) => type.startsWith(`${kind}.`))

export const isFailure = (type: string) => type.endsWith('failed')

export type View = 'all' | 'uploads' | 'deletes' | 'keys' | 'people' | 'failed'

interface ViewEntry {
  name: View
  /** Types of entries; undefined for all. */
  types?: string[]
  /** Scope that an account needs to have such entries. */
  scope?: Scope
}

/** Filters of the history. */
export const VIEWS: readonly ViewEntry[] = [
  { name: 'all' },
  { name: 'uploads', types: ofKind('upload'), scope: 'files:write' },
  {
    name: 'deletes',
    types: [...ofKind('file'), ...ofKind('folder'), ...ofKind('trash')],
    scope: 'files:delete',
  },
  { name: 'keys', types: ofKind('api-key'), scope: 'api-keys:manage' },
  { name: 'people', types: ofKind('user'), scope: 'users:manage' },
  { name: 'failed', types: TYPES.filter(isFailure) },
]

export function iconOf(type: string): LucideIcon {
  if (isFailure(type)) return TriangleAlert
  if (type === 'upload.canceled') return CircleSlash
  if (type.startsWith('upload.')) return FileUp
  if (type.startsWith('folder.')) return FolderX
  if (type.startsWith('file.') || type.startsWith('trash.')) return Trash2
  if (type.startsWith('share.')) return Link
  return type.startsWith('api-key.') ? KeyRound : UserRound
}
