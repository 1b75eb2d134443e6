import { inLanguage } from '../language.ts'

/** Texts of the page of users. */
export const userTexts = inLanguage('userTexts', {
  lead: 'People with an account here, and their permissions.',
  list: 'Users',
  add: 'Add user',
  columns: {
    name: 'User',
    role: 'Role',
    folders: 'Folders',
    storage: 'Storage',
    keys: 'API keys',
    added: 'Added',
    seen: 'Last seen',
  },
  you: 'You',
  disabled: 'Disabled',
  neverSeen: 'Never',
  ofQuota: (quota: string) => `of ${quota}`,
  full: 'Full',
  actions: 'Actions',
  actionsOf: (name: string) => `Actions for ${name}`,
  search: 'Search users',
  noMatch: 'No user matches',

  everything: 'Everything',
  noFolders: 'None yet',
  reach: 'Access',
  reaches: {
    all: { label: 'Everything', hint: 'All files and folders on this server.' },
    some: {
      label: 'Only some folders',
      hint: 'Those folders and everything in them. The account sees nothing else.',
    },
  },
  addFolder: 'Add a folder',
  addThisFolder: 'Add this folder',
  removeFolder: (name: string) => `Remove ${name}`,
  inTrash: (name: string) => `${name} (in the trash)`,
  makeHome: 'Make a folder for this person',
  homeOf: (name: string) => `people/${name}`,
  changeFolders: 'Change folders',
  foldersTitle: (name: string) => `Folders of ${name}`,
  foldersText: 'Takes effect immediately, including for their API keys and shares.',
  foldersChanged: (name: string) => `Changed the folders of ${name}`,

  addTitle: 'Add a user',
  role: 'Role',
  may: 'Permissions',
  chooseScope: 'Choose at least one permission.',
  password: 'Password',
  passwordHint: 'At least 8 characters. They can change it under Account.',
  generate: 'Generate',

  handOverTitle: (name: string) => `Share these sign-in details with ${name}`,
  handOverText: 'You won’t see the password again.',
  handOver: (address: string, email: string, password: string) =>
    `${address}\nE-mail: ${email}\nPassword: ${password}`,
  handOverLabel: 'Sign-in details',

  changeRole: 'Change role',
  changeRoleTitle: (name: string) => `Role of ${name}`,
  changeRoleText: 'Takes effect immediately, including for their API keys.',
  save: 'Save',
  roleChanged: (name: string, role: string) => `${name} is now ${role}`,

  resetPassword: 'Reset password',
  resetTitle: (name: string) => `New password for ${name}`,
  resetText: 'This signs them out on all their devices.',
  deleteKeys: 'Delete their API keys, too',
  endShares: 'End their shares, too',
  keepLinked: 'Keep their link to the provider',
  reset: 'Set password',

  twoStep: 'Two-step',
  resetTwoStep: 'Reset two-step sign-in',
  resetTwoStepTitle: (name: string) => `Reset two-step sign-in of ${name}?`,
  resetTwoStepAction: 'Reset',
  resetTwoStepText:
    'For someone who lost their phone. Their password alone signs in then, their passkeys and recovery codes stop working, and they are signed out everywhere.',
  twoStepReset: (name: string) => `${name} signs in with the password only`,

  changeQuota: 'Limit storage',
  quotaTitle: (name: string) => `Storage limit of ${name}`,
  quotaText:
    'Files, earlier versions and the trash count toward the account that uploaded them. A lower limit deletes nothing.',
  quota: 'Storage limit',
  quotaChoices: { none: 'No limit', limit: 'Limit' },
  quotaUsed: (used: string) => `${used} used`,
  quotaChanged: (name: string, quota: string | undefined) =>
    quota === undefined ? `${name} has no storage limit` : `${name} can store ${quota}`,

  disable: 'Disable',
  disableTitle: (name: string) => `Disable ${name}?`,
  disableText: 'This signs them out everywhere and stops their API keys until you enable the account again.',
  disabledNow: (name: string) => `${name} is disabled`,
  enable: 'Enable',
  enabledNow: (name: string) => `${name} can sign in again`,

  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    'This deletes the account with its sessions, API keys and history. Their files stay. This can’t be undone.',
  deleted: (name: string) => `Deleted ${name}`,
})
