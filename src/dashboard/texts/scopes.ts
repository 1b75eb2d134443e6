/** What accounts and keys may do, in words. */
export const scopeTexts = {
  'files:read': { label: 'Read files', short: 'Read', hint: 'List, search, download and share files.' },
  'files:write': {
    label: 'Write files',
    short: 'Write',
    hint: 'Upload, rename, move, and make public or private.',
  },
  'files:delete': { label: 'Delete files', short: 'Delete', hint: 'Delete files and folders for good.' },
  'api-keys:manage': { label: 'API keys', short: 'Keys', hint: 'Create keys, and let apps use them.' },
  'settings:manage': {
    label: 'Settings',
    short: 'Settings',
    hint: 'Limits and the visibility of files, for everyone.',
  },
  'users:manage': { label: 'Users', short: 'Users', hint: 'Add, change and delete accounts.' },
}

export const roleTexts = {
  admin: { label: 'Admin', hint: 'Everything, users and settings included.' },
  editor: { label: 'Editor', hint: 'Reads, writes and deletes files, and has API keys.' },
  viewer: { label: 'Viewer', hint: 'Reads and downloads files.' },
  custom: { label: 'Custom', hint: 'What you pick below.' },
}
