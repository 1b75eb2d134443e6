import { inLanguage } from '../language.ts'

/** Texts of the page of the own account. */
export const accountTexts = inLanguage('accountTexts', {
  profile: 'Profile',
  profileText: 'Your name as others see it, and the e-mail address you sign in with.',
  save: 'Save',
  saved: 'Saved',
  role: 'Role',
  may: (what: string) => `You can ${what}.`,
  mayNothing: 'You have no permissions yet. Ask an admin.',

  password: 'Password',
  passwordText: 'Use a long, unique password.',
  current: 'Current password',
  new: 'New password',
  signOutOthers: 'Sign out my other devices',
  change: 'Change password',
  changed: 'Password changed',
  noPassword: 'You sign in without a password. Set one to sign in here with your e-mail address, too.',
  setPassword: 'Set a password',
  passwordSet: 'Password set',
  mayNoPassword: 'You sign in without a password. This server doesn’t let your account use one.',
  passwordUnused:
    'This server doesn’t let your account sign in with its password, so there is no need to change it.',
  wrongPassword: 'The current password is incorrect.',

  storage: 'Storage',
  storageText: 'Your files and their earlier versions, including those in the trash.',
  used: (size: string) => `${size} used`,
  usedOf: (size: string, quota: string) => `${size} of ${quota} used`,
  storageFull: 'Your storage is full. Delete files for good, or ask an admin for more.',

  devices: 'Devices',
  devicesText: 'Where you’re signed in. Don’t recognise one? Sign it out and change your password.',
  thisDevice: 'This device',
  signedIn: (when: string) => `Signed in ${when}`,
  signOut: 'Sign out',
  signOutOf: (device: string, address: string) => `Sign out ${device}, ${address}`,
  signedOut: (device: string) => `${device} is signed out`,
  signOutAll: 'Sign out all others',
  signOutAllTitle: 'Sign out all other devices?',
  signOutAllText: 'They need to sign in again. This device stays signed in.',
  othersSignedOut: 'All other devices are signed out',
  unknownDevice: 'Unknown device',
  onSystem: (browser: string, system: string) => `${browser} on ${system}`,

  language: 'Language',
  languageText: 'For the dashboard, wherever you sign in.',
  languageOfBrowser: 'Same as the browser',

  appearance: 'Appearance',
  appearanceText: 'Saved in this browser.',
  density: 'Rows of files',
  densities: { comfortable: 'Comfortable', compact: 'Compact' },
})
