/** What the settings say. */
export const settingsTexts = {
  applied: (what: string, visibility: string) => `${what} now ${visibility}`,
  apply: {
    public: (what: string) => `Make ${what} public`,
    private: (what: string) => `Make ${what} private`,
  },
  applyText: {
    public: (what: string) =>
      `${what} would become public: anyone who has or guesses the address of one could open it.`,
    private: (what: string) =>
      `${what} would become private. Their plain links stop working for the public; signed links keep working.`,
  },
  applyTitle: { public: 'Make every file public?', private: 'Make every file private?' },
  atLeast: (amount: string) => `This must be at least ${amount}.`,
  atMost: (amount: string) => `This can be at most ${amount}.`,
  caching: {
    title: 'Caching',
    lead: 'How long browsers and proxies may keep public files without asking again.',
  },
  counts: (open: string, closed: string) => `${open} public, ${closed} private`,
  cutsHistory: (days: string) => `Saving this removes everything older than ${days}, at once and for good.`,
  discard: 'Discard',
  existingFiles: 'Existing files',
  history: { title: 'History', lead: 'How long what happened is remembered. Files are never affected.' },
  leave: 'Leave without saving',
  leaveText: 'What you changed here is not saved yet.',
  leaveTitle: 'Leave the settings?',
  limits: {
    maxUploadSize: { label: 'Largest file', hint: 'Larger uploads are refused.' },
    defaultPresignTtl: {
      label: 'Usual lifetime',
      hint: 'For links that are made without saying how long they work.',
    },
    maxPresignTtl: { label: 'Longest lifetime', hint: 'Links asked for longer are shortened to this.' },
    hostingCacheMaxAge: {
      label: 'Kept for',
      hint: 'With 0 they ask each time, and a changed file is seen at once.',
    },
    activityRetentionDays: { label: 'Activity', hint: 'What each account sees in its activity.' },
    apiRequestRetentionDays: { label: 'API key requests', hint: 'What the charts of key use are made of.' },
  },
  links: { title: 'Links that end', lead: 'Signed links open a file for anyone until their time is over.' },
  longerThanLongest: 'This is longer than the longest lifetime.',
  makeAll: { public: 'Make all public', private: 'Make all private' },
  newFiles: 'New files',
  newFilesAre: {
    public: 'Anyone who knows the address of a file can open it, unless the upload says otherwise.',
    private: 'Files open for members and by signed links only, unless the upload says otherwise.',
  },
  notANumber: 'This must be a number.',
  save: 'Save',
  saved: 'Settings saved. They are in force for everyone.',
  unsaved: 'Unsaved changes',
  uploads: { title: 'Uploads', lead: 'What the server takes in.' },
  visibility: { title: 'Visibility', lead: 'Who may open a file by its address.' },
}
