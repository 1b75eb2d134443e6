import type { KeyScope, Scope } from '../../client/index.ts'

interface ScopeText {
  label: string
  can: string
  short: string
  hint: string
}

/** Texts of the scopes that an API key can have, in the order in which they are offered. */
export const keyScopeTexts: Record<KeyScope, ScopeText> = {
  'files:read': {
    label: 'Read files',
    can: 'read files',
    short: 'Read',
    hint: 'List, search, download and share files.',
  },
  'files:write': {
    label: 'Write files',
    can: 'write files',
    short: 'Write',
    hint: 'Upload, rename, move, and make public or private.',
  },
  'files:delete': {
    label: 'Delete files',
    can: 'delete files',
    short: 'Delete',
    hint: 'Delete files and folders for good.',
  },
}

/** Texts of all scopes, in the order in which they are offered. */
export const scopeTexts: Record<Scope, ScopeText> = {
  ...keyScopeTexts,
  'api-keys:manage': {
    label: 'API keys',
    can: 'manage API keys',
    short: 'Keys',
    hint: 'Create keys, and let apps use them.',
  },
  'settings:manage': {
    label: 'Settings',
    can: 'manage settings',
    short: 'Settings',
    hint: 'Change limits and the visibility of files for everyone.',
  },
  'users:manage': {
    label: 'Users',
    can: 'manage users',
    short: 'Users',
    hint: 'Add, change and delete accounts.',
  },
}

export const roleTexts = {
  admin: { label: 'Admin', hint: 'Can do everything, including managing users and settings.' },
  editor: { label: 'Editor', hint: 'Can read, write and delete files, and manage their own API keys.' },
  viewer: { label: 'Viewer', hint: 'Can view and download files.' },
  custom: { label: 'Custom', hint: 'Choose permissions.' },
}
