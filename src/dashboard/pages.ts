import {
  Activity,
  ChartColumn,
  CircleUserRound,
  Clock,
  Folder,
  KeyRound,
  type LucideIcon,
  Settings,
  Share2,
  ShieldCheck,
  Star,
  Trash2,
  Users,
} from 'lucide-react'
import type { ComponentType, FunctionComponent } from 'react'
import type { Scope } from '../client/index.ts'
import { useMe } from './api/session.ts'
import { lazyComponent } from './components/lazy.tsx'
import FilesPage from './pages/files/page.tsx'
import { texts } from './texts.ts'

/** A page of the dashboard. */
export interface PageEntry {
  path: `/${string}`
  title: string
  icon: LucideIcon
  /** Scope that the page needs; none if every account can open it. */
  scope?: Scope
  component: FunctionComponent
  /** Loads the page's chunk, if it has one. */
  load?: () => Promise<void>
}

/** Makes a page that loads when it is first opened. */
function ownChunk(load: () => Promise<{ default: ComponentType }>) {
  const component = lazyComponent(load)
  return { component, load: component.load }
}

/** Pages in the order of the navigation. A new page is a folder in `pages/` and a line here. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '/files',
    title: texts.pages.files,
    icon: Folder,
    scope: 'files:read',
    // The first page that most visits show: a chunk of its own would cost them a round trip.
    component: FilesPage,
  },
  {
    path: '/recent',
    title: texts.pages.recent,
    icon: Clock,
    scope: 'files:read',
    ...ownChunk(() => import('./pages/recent/page.tsx')),
  },
  {
    path: '/favorites',
    title: texts.pages.favorites,
    icon: Star,
    scope: 'files:read',
    ...ownChunk(() => import('./pages/favorites/page.tsx')),
  },
  {
    path: '/shares',
    title: texts.pages.shares,
    icon: Share2,
    scope: 'files:read',
    ...ownChunk(() => import('./pages/shares/page.tsx')),
  },
  {
    path: '/trash',
    title: texts.pages.trash,
    icon: Trash2,
    scope: 'files:write',
    ...ownChunk(() => import('./pages/trash/page.tsx')),
  },
  {
    path: '/overview',
    title: texts.pages.overview,
    icon: ChartColumn,
    ...ownChunk(() => import('./pages/overview/page.tsx')),
  },
  {
    path: '/keys',
    title: texts.pages.keys,
    icon: KeyRound,
    scope: 'api-keys:manage',
    ...ownChunk(() => import('./pages/keys/page.tsx')),
  },
  {
    path: '/users',
    title: texts.pages.users,
    icon: Users,
    scope: 'users:manage',
    ...ownChunk(() => import('./pages/users/page.tsx')),
  },
  {
    path: '/activity',
    title: texts.pages.activity,
    icon: Activity,
    ...ownChunk(() => import('./pages/activity/page.tsx')),
  },
  {
    path: '/security',
    title: texts.pages.security,
    icon: ShieldCheck,
    scope: 'users:manage',
    ...ownChunk(() => import('./pages/security/page.tsx')),
  },
  {
    path: '/settings',
    title: texts.pages.settings,
    icon: Settings,
    scope: 'settings:manage',
    ...ownChunk(() => import('./pages/settings/page.tsx')),
  },
  {
    path: '/account',
    title: texts.pages.account,
    icon: CircleUserRound,
    ...ownChunk(() => import('./pages/account/page.tsx')),
  },
]

/** Returns the pages that the account can open. */
export function usePages(): PageEntry[] {
  const { scopes } = useMe()
  return PAGES.filter(({ scope }) => scope === undefined || scopes.includes(scope))
}
