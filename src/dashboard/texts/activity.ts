import type { ActivityType } from '../../modules/activity/service.ts'

const deeds: Record<string, string> = {
  'upload.succeeded': 'Uploaded',
  'upload.failed': 'Could not upload',
  'upload.canceled': 'Canceled the upload of',
  'file.replaced': 'Replaced',
  'version.restored': 'Restored a version of',
  'version.deleted': 'Deleted a version of',
  'file.deleted': 'Deleted',
  'file.delete-failed': 'Could not delete',
  'folder.deleted': 'Deleted the folder',
  'folder.delete-failed': 'Could not delete the folder',
  'file.trashed': 'Moved to the trash:',
  'folder.trashed': 'Moved the folder to the trash:',
  'file.restored': 'Restored',
  'folder.restored': 'Restored the folder',
  'trash.emptied': 'Deleted from the trash:',
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

/** Texts of the activity page. */
export const activityTexts = {
  clear: (what: string) => `Clear ${what}`,
  clearAll: 'Clear history',
  clearAllTitle: 'Clear your whole history?',
  cleared: (what: string) => `${what} cleared`,
  clearText: 'This deletes the history for good. Files, API keys and accounts are not affected.',
  clearTitle: 'Clear these entries?',
  /** Past events by type, followed by the name of the item. */
  deeds,
  empty: { all: 'No activity yet', view: 'No entries of this kind' },
  emptyText: 'Uploads, deletions and changes appear here, whether you or your API keys made them.',
  forget: (what: string) => `Remove the entry about ${what}`,
  older: 'Show older',
  show: 'Show',
  unnamed: 'files',
  views: {
    all: 'Everything',
    uploads: 'Uploads',
    deletes: 'Deletions',
    keys: 'Keys',
    people: 'Accounts',
    failed: 'Failed',
  },
}
