import {
  KeyRound,
  LockKeyhole,
  LogIn,
  LogOut,
  type LucideIcon,
  TriangleAlert,
  UserRound,
  Webhook,
} from 'lucide-react'
import { securityTexts } from '../../texts/security.ts'

export const KINDS = ['all', 'sign-ins', 'failed', 'passwords', 'accounts', 'keys', 'webhooks'] as const
export type Kind = (typeof KINDS)[number]

const TYPES = Object.keys(securityTexts.events)
const typesLike = (pattern: RegExp) => TYPES.filter((type) => pattern.test(type))

/** Types of the events of a kind; undefined for all. */
export const TYPES_OF: Record<Kind, string[] | undefined> = {
  all: undefined,
  'sign-ins': typesLike(/^(sign-in\.succeeded|sign-out|session\.)/),
  failed: typesLike(/failed$/),
  passwords: typesLike(/^(password|email)\./),
  accounts: typesLike(/^(account|role|invitation)\./),
  keys: typesLike(/^api-key\./),
  webhooks: typesLike(/^webhook\./),
}

export const isFailure = (type: string) => type.endsWith('failed')

/** Icons by the beginnings of types. */
const ICONS: Record<string, LucideIcon> = {
  'sign-in': LogIn,
  'sign-out': LogOut,
  session: LogOut,
  password: LockKeyhole,
  'api-key': KeyRound,
  webhook: Webhook,
}

export const iconOf = (type: string): LucideIcon =>
  isFailure(type) ? TriangleAlert : (ICONS[type.split('.')[0] ?? ''] ?? UserRound)
