/** Tests that look at a part of the dashboard, by the beginning of its path below `src/dashboard/`. */
const LOOKED_AT_BY: Readonly<Record<string, readonly string[]>> = {
  api: ['session', 'offline', 'live', 'bulk', 'rights'],
  bulk: ['bulk', 'downloads', 'trash', 'moving'],
  components: ['phone', 'layers', 'keyboard', 'looks'],
  docs: ['documents'],
  'first-view': ['first-visit'],
  frame: ['frame', 'dashboard', 'session', 'finding', 'layout', 'sign-in', 'programs'],
  icon: ['install'],
  index: ['first-visit', 'policy', 'install'],
  language: ['languages'],
  lib: ['keyboard', 'hands', 'finding', 'grid', 'insight'],
  live: ['live'],
  main: ['first-visit', 'offline', 'firefox'],
  'pages/account': ['accounts', 'languages', 'quotas', 'phone', 'sign-in', 'passkeys', 'providers'],
  'pages/activity': ['insight', 'phone'],
  'pages/files/edit': ['editing'],
  'pages/files': [
    ...[
      'dashboard',
      'downloads',
      'finding',
      'grid',
      'hands',
      'keyboard',
      'layers',
      'live',
      'looks',
      'move-dialog',
    ],
    ...['moving', 'pdf', 'phone', 'preview', 'preview-details', 'preview-texts', 'bulk', 'uploads', 'rights'],
  ],
  'pages/keys': ['accounts', 'rights', 'phone'],
  'pages/overview': ['insight', 'entrance', 'phone'],
  'pages/recent': ['finding', 'phone'],
  'pages/favorites': ['finding', 'phone'],
  'pages/security': ['accounts', 'phone'],
  'pages/settings': ['insight', 'trash', 'phone', 'webhooks'],
  'pages/shares': ['sharing', 'phone'],
  'pages/trash': ['trash', 'phone'],
  'pages/users': ['accounts', 'invitations', 'quotas', 'phone'],
  pages: ['frame', 'dashboard', 'phone'],
  pdf: ['pdf'],
  received: ['received'],
  router: ['frame', 'offline', 'finding'],
  search: ['finding', 'preview-details'],
  server: ['dashboard'],
  shares: ['sharing', 'phone'],
  styles: ['phone', 'looks', 'layout', 'documents'],
  texts: ['phone', 'entrance', 'dashboard', 'languages'],
  theme: ['dashboard', 'phone', 'looks'],
  uploads: ['uploads', 'pause', 'large-uploads', 'session', 'quotas'],
  visitor: ['shares'],
}

/** Parts of `src` outside the dashboard that browsers look at. */
const BEHIND: Readonly<Record<string, readonly string[]>> = {
  'src/api/cors.ts': ['client', 'firefox'],
  'src/client/': ['client'],
  'src/build/docs': ['documents'],
  'src/modules/docs/': ['documents'],
  'src/modules/hosting/': ['active-content', 'policy'],
  'src/modules/shares/page/': ['shares'],
  'src/modules/sign-in/codes/': ['sign-in'],
  'src/modules/sign-in/devices/': ['programs'],
  'src/modules/sign-in/forwarded/': ['programs'],
  'src/modules/sign-in/oidc/': ['providers'],
  'src/modules/sign-in/passkeys/': ['passkeys'],
  'src/modules/sites/': ['sites'],
  'src/modules/web/': ['first-visit', 'policy', 'install', 'documents'],
}

const DASHBOARD = 'src/dashboard/'
const longest = (names: string[]) => names.toSorted((a, b) => b.length - a.length)[0] ?? ''

/** Returns the browser tests that look at a file of `src`. */
export function browserTestsOf(path: string): string[] {
  const inside = path.startsWith(DASHBOARD) ? path.slice(DASHBOARD.length) : undefined
  const table = inside === undefined ? BEHIND : LOOKED_AT_BY
  const part = longest(Object.keys(table).filter((place) => (inside ?? path).startsWith(place)))
  return (table[part] ?? []).map((name) => `test/browser/${name}.check.ts`)
}
