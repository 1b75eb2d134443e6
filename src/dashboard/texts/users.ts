/** The words of the page of users. */
export const userTexts = {
  lead: 'Who may sign in here, and what they may do.',
  list: 'Users',
  add: 'Add user',
  columns: { name: 'User', role: 'Role', status: 'Status', keys: 'API keys', added: 'Added' },
  you: 'You',
  active: 'Active',
  disabled: 'Disabled',
  actions: 'Actions',
  actionsOf: (name: string) => `Actions for ${name}`,
  search: 'Search users',
  noMatch: 'No user matches',

  addTitle: 'Add a user',
  role: 'Role',
  may: 'May',
  chooseScope: 'Choose at least one thing that they may do.',
  password: 'Password',
  passwordHint: 'At least 8 characters. They can change it under Account.',
  generate: 'Generate',

  handOverTitle: (name: string) => `Hand this to ${name}`,
  handOverText: 'They sign in with it. The password is not shown again.',
  handOver: (address: string, email: string, password: string) =>
    `${address}\nE-mail: ${email}\nPassword: ${password}`,
  handOverLabel: 'How to sign in',
  done: 'Done',

  changeRole: 'Change role',
  changeRoleTitle: (name: string) => `Role of ${name}`,
  changeRoleText: 'It counts from their next click on, for their API keys as well.',
  save: 'Save',
  roleChanged: (name: string, role: string) => `${name} is now ${role}`,

  resetPassword: 'Reset password',
  resetTitle: (name: string) => `New password for ${name}`,
  resetText: 'They are signed out on all their devices.',
  reset: 'Set password',

  disable: 'Disable',
  disableTitle: (name: string) => `Disable ${name}?`,
  disableText: 'They are signed out everywhere and their API keys stop working, until you enable them again.',
  disabledNow: (name: string) => `${name} is disabled`,
  enable: 'Enable',
  enabledNow: (name: string) => `${name} may sign in again`,

  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    'Their account goes with its devices, API keys and history. Files they uploaded stay. This cannot be taken back.',
  deleted: (name: string) => `Deleted ${name}`,
}
