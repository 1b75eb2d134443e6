import type { KeyScope, Scope } from '../../client/index.ts'
import { inLanguage } from '../language.ts'

interface ScopeText {
  label: string
  /** Verb for files, else the noun for things to manage. */
  can: string
  short: string
  hint: string
}

/** Texts of the scopes that an API key can have, in the order in which they are offered. */
export const keyScopeTexts: Record<KeyScope, ScopeText> = inLanguage('keyScopeTexts', {
  'files:read': {
    label: 'Read files',
    can: 'read',
    short: 'Read',
    hint: 'List, search and download files, and share them where the settings allow it.',
  },
  'files:write': {
    label: 'Write files',
    can: 'write',
    short: 'Write',
    hint: 'Upload, rename, move, and make public or private.',
  },
  'files:delete': {
    label: 'Delete files',
    can: 'delete',
    short: 'Delete',
    hint: 'Move files and folders to the trash, and delete them permanently.',
  },
})

/** Texts of all scopes, in the order in which they are offered. */
export const scopeTexts: Record<Scope, ScopeText> = inLanguage('scopeTexts', {
  ...keyScopeTexts,
  'api-keys:manage': {
    label: 'API keys',
    can: 'API keys',
    short: 'Keys',
    hint: 'Create keys, and let apps use them.',
  },
  'settings:manage': {
    label: 'Settings',
    can: 'settings',
    short: 'Settings',
    hint: 'Change limits and the visibility of files for everyone.',
  },
  'users:manage': {
    label: 'Users',
    can: 'users',
    short: 'Users',
    hint: 'Add, change and delete accounts.',
  },
})

export const roleTexts = inLanguage('roleTexts', {
  admin: { label: 'Admin', hint: 'Can do everything, including managing users and settings.' },
  editor: { label: 'Editor', hint: 'Can read, write and delete files, and manage their own API keys.' },
  viewer: { label: 'Viewer', hint: 'Can view and download files.' },
  custom: { label: 'Custom', hint: 'Choose permissions.' },
})

export const scopeListTexts = inLanguage('scopeListTexts', {
  /** Joins a list of verbs for files and a list of nouns to manage into a part of a sentence. */
  say: (files: string, managed: string, isLong: boolean) =>
    [files && `${files} files`, managed && `manage ${managed}`]
      .filter(Boolean)
      .join(isLong ? ', and ' : ' and '),
})
