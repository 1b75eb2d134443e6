import type { ActivityType } from '../../activity/service.ts'

const deeds: Record<string, string> = {
  'upload.succeeded': 'Uploaded',
  'upload.failed': 'Could not upload',
  'upload.canceled': 'Canceled the upload of',
  'file.deleted': 'Deleted',
  'file.delete-failed': 'Could not delete',
  'folder.deleted': 'Deleted the folder',
  'folder.delete-failed': 'Could not delete the folder',
  'api-key.created': 'Created the key',
  'api-key.renamed': 'Renamed a key to',
  'api-key.deleted': 'Deleted the key',
  'user.created': 'Added the account',
  'user.access-changed': 'Changed the access of',
  'user.password-reset': 'Set a new password for',
  'user.disabled': 'Disabled',
  'user.enabled': 'Enabled',
  'user.deleted': 'Deleted the account',
} satisfies Record<ActivityType, string>

/** What a history says. */
export const activityTexts = {
  clear: (what: string) => `Clear ${what}`,
  clearAll: 'Clear history',
  clearAllTitle: 'Clear your whole history?',
  cleared: (what: string) => `${what} cleared`,
  clearText: 'This only forgets what is written here, for good. Files, keys and accounts are not affected.',
  clearTitle: 'Clear what is shown?',
  /** What happened, by its type; what it happened to follows. */
  deeds,
  empty: { all: 'Nothing has happened yet', view: 'Nothing of this kind has happened' },
  emptyText: 'What you upload, delete and change is written here, by you and by your keys.',
  forget: (what: string) => `Forget the entry about ${what}`,
  older: 'Show older',
  show: 'Show',
  unnamed: 'files',
  views: {
    all: 'Everything',
    uploads: 'Uploads',
    deletes: 'Deletes',
    keys: 'Keys',
    people: 'Accounts',
    failed: 'Failed',
  },
}
