import {
  CircleSlash,
  FileUp,
  FolderX,
  KeyRound,
  type LucideIcon,
  Trash2,
  TriangleAlert,
  UserRound,
} from 'lucide-react'
import type { Scope } from '../../../auth/scopes.ts'
import type { ActivityType } from '../../api/activity.ts'

const UPLOADS = ['upload.succeeded', 'upload.failed', 'upload.canceled'] as const
const DELETES = ['file.deleted', 'file.delete-failed', 'folder.deleted', 'folder.delete-failed'] as const
const KEYS = ['api-key.created', 'api-key.renamed', 'api-key.deleted'] as const
const PEOPLE = [
  'user.created',
  'user.access-changed',
  'user.password-reset',
  'user.disabled',
  'user.enabled',
  'user.deleted',
] as const
const FAILURES = ['upload.failed', 'file.delete-failed', 'folder.delete-failed'] as const

export type View = 'all' | 'uploads' | 'deletes' | 'keys' | 'people' | 'failed'

interface ViewEntry {
  name: View
  /** Undefined for all. */
  types?: readonly ActivityType[]
  /** Without this scope an account cannot have such entries. */
  scope?: Scope
}

/** The parts of a history that one may want to see alone. */
export const VIEWS: readonly ViewEntry[] = [
  { name: 'all' },
  { name: 'uploads', types: UPLOADS, scope: 'files:write' },
  { name: 'deletes', types: DELETES, scope: 'files:delete' },
  { name: 'keys', types: KEYS, scope: 'api-keys:manage' },
  { name: 'people', types: PEOPLE, scope: 'users:manage' },
  { name: 'failed', types: FAILURES },
]

export const isFailure = (type: string) => FAILURES.some((failure) => failure === type)

export function iconOf(type: string): LucideIcon {
  if (isFailure(type)) return TriangleAlert
  if (type === 'upload.canceled') return CircleSlash
  if (type.startsWith('upload.')) return FileUp
  if (type.startsWith('folder.')) return FolderX
  if (type.startsWith('file.')) return Trash2
  return type.startsWith('api-key.') ? KeyRound : UserRound
}
