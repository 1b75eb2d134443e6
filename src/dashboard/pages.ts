import {
  Activity,
  ChartColumn,
  CircleUserRound,
  Folder,
  KeyRound,
  type LucideIcon,
  Settings,
  Share2,
  ShieldCheck,
  Trash2,
  Users,
} from 'lucide-react'
import type { ComponentType } from 'react'
import type { Scope } from '../client/index.ts'
import { texts } from './texts.ts'

/** A page of the dashboard. */
export interface PageEntry {
  path: `/${string}`
  title: string
  icon: LucideIcon
  /** Scope that the page needs; none if every account can open it. */
  scope?: Scope
  /** Loads the page's chunk when it is first opened. */
  load: () => Promise<{ default: ComponentType }>
}

/** Pages in the order of the navigation. A new page is a folder in `pages/` and a line here. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '/files',
    title: texts.pages.files,
    icon: Folder,
    scope: 'files:read',
    load: () => import('./pages/files/page.tsx'),
  },
  {
    path: '/shares',
    title: texts.pages.shares,
    icon: Share2,
    scope: 'files:read',
    load: () => import('./pages/shares/page.tsx'),
  },
  {
    path: '/trash',
    title: texts.pages.trash,
    icon: Trash2,
    scope: 'files:write',
    load: () => import('./pages/trash/page.tsx'),
  },
  {
    path: '/overview',
    title: texts.pages.overview,
    icon: ChartColumn,
    load: () => import('./pages/overview/page.tsx'),
  },
  {
    path: '/keys',
    title: texts.pages.keys,
    icon: KeyRound,
    scope: 'api-keys:manage',
    load: () => import('./pages/keys/page.tsx'),
  },
  {
    path: '/users',
    title: texts.pages.users,
    icon: Users,
    scope: 'users:manage',
    load: () => import('./pages/users/page.tsx'),
  },
  {
    path: '/activity',
    title: texts.pages.activity,
    icon: Activity,
    load: () => import('./pages/activity/page.tsx'),
  },
  {
    path: '/security',
    title: texts.pages.security,
    icon: ShieldCheck,
    scope: 'users:manage',
    load: () => import('./pages/security/page.tsx'),
  },
  {
    path: '/settings',
    title: texts.pages.settings,
    icon: Settings,
    scope: 'settings:manage',
    load: () => import('./pages/settings/page.tsx'),
  },
  {
    path: '/account',
    title: texts.pages.account,
    icon: CircleUserRound,
    load: () => import('./pages/account/page.tsx'),
  },
]
