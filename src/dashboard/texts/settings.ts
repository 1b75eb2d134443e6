import { inLanguage } from '../language.ts'

/** Texts of the settings. */
export const settingsTexts = inLanguage('settingsTexts', {
  applied: (what: string, visibility: string) => `${what} now ${visibility}`,
  apply: {
    public: (what: string) => `Make ${what} public`,
    private: (what: string) => `Make ${what} private`,
  },
  applyText: {
    public: (what: string) =>
      `${what} would become public: anyone who has a file’s link, or guesses it, could open it.`,
    private: (what: string) =>
      `${what} would become private. Their plain links stop working for the public. Expiring links keep working.`,
  },
  applyTitle: { public: 'Make every file public?', private: 'Make every file private?' },
  atLeast: (amount: string) => `This must be at least ${amount}.`,
  atMost: (amount: string) => `This can be at most ${amount}.`,
  changelog: 'What’s new',
  caching: {
    title: 'Caching',
    lead: 'How long browsers and proxies may reuse public files without checking for changes.',
  },
  counts: (open: string, closed: string) => `${open} public, ${closed} private`,
  cutsHistory: (days: string) => `Saving deletes all history older than ${days}. You can’t undo this.`,
  cutsTrash: {
    older: (days: string) =>
      `Items that were deleted more than ${days} ago are deleted for good. You can’t undo this.`,
    all: 'This empties the trash, and makes every deletion permanent. You can’t undo this.',
  },
  cutsVersions: {
    older: (days: string) =>
      `Versions that were replaced more than ${days} ago are deleted for good. You can’t undo this.`,
    all: 'All earlier versions are deleted for good. You can’t undo this.',
  },
  discard: 'Discard',
  existingFiles: 'Existing files',
  history: { title: 'History', lead: 'How long to keep history. Files are never affected.' },
  leave: 'Leave without saving',
  leaveText: 'Your changes are not saved yet.',
  leaveTitle: 'Leave without saving?',
  limits: {
    maxUploadSize: { label: 'Maximum file size', hint: 'Larger uploads are refused.' },
    defaultPresignTtl: {
      label: 'Default expiry',
      hint: 'Applies when no expiry is chosen.',
    },
    maxPresignTtl: { label: 'Maximum expiry', hint: 'No link lasts longer.' },
    hostingCacheMaxAge: {
      label: 'Cache duration',
      hint: '0 = always check for a newer version.',
    },
    activityRetentionDays: { label: 'Activity', hint: 'Shown on each account’s activity page.' },
    trashDays: { label: 'Trash', hint: '0 = no trash: every deletion is permanent.' },
    versionDays: { label: 'Earlier versions', hint: '0 = no earlier versions: replaced files are gone.' },
    apiRequestRetentionDays: { label: 'API key requests', hint: 'Data behind the API key charts.' },
  },
  links: {
    title: 'Expiring links',
    lead: 'Anyone with an expiring link can open the file until it expires.',
  },
  longerThanLongest: 'This is longer than the maximum expiry.',
  makeAll: { public: 'Make all files public', private: 'Make all files private' },
  newFiles: 'New files',
  newFilesAre: {
    public: 'Anyone with a file’s link can open it, unless the upload is private.',
    private:
      'Only people with an account, a share or an expiring link can open new files. An upload can still be made public.',
  },
  twoStep: {
    title: 'Two-step sign-in',
    lead: 'A code from a phone after the password. Everyone can turn it on under Account.',
  },
  mustTwoStep: 'Who must use it',
  twoSteppers: { no: 'No one', admins: 'Admins', all: 'Everyone' },
  twoStepHints: {
    no: 'Everyone decides for themselves.',
    admins: 'Admins without it can only open their account page until they set it up.',
    all: 'Accounts without it can only open their account page until they set it up. API keys go on working.',
  },
  sharing: { title: 'Sharing', lead: 'Shares are links that people without an account can open.' },
  mayShare: 'Who can share',
  sharers: { readers: 'Everyone', writers: 'Editors', nobody: 'No one' },
  shareDays: (days: string) => `Shares last ${days}, unless another time is chosen (SHARE_DAYS).`,
  shareMaxDays: (days: string) => `Shares last ${days} at most (SHARE_MAX_DAYS).`,
  sharingHints: {
    readers: 'Everyone who can view files can also share them.',
    writers: 'Everyone who can upload and change files can also share them.',
    nobody: 'No one can create shares. Existing ones stay open until someone ends them.',
  },
  notANumber: 'This must be a number.',
  removed: {
    title: 'Trash and versions',
    lead: 'How long deleted files and earlier versions can be restored. If disk space runs short, the oldest are deleted sooner, versions first.',
  },
  save: 'Save',
  saved: 'Settings saved for everyone.',
  unsaved: 'Unsaved changes',
  units: {
    second: { one: 'second', other: 'seconds' },
    minute: { one: 'minute', other: 'minutes' },
    hour: { one: 'hour', other: 'hours' },
    week: { one: 'week', other: 'weeks' },
    year: { one: 'year', other: 'years' },
  },
  uploads: { title: 'Uploads', lead: 'Limits on what can be uploaded.' },
  version: (version: string) => `Holdfast ${version}.`,
  visibility: { title: 'Visibility', lead: 'Who can open files by their plain links.' },
})
