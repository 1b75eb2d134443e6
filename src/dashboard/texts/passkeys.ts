import { inLanguage } from '../language.ts'

/** Texts of passkeys, on the sign-in page and on the account page. */
export const passkeyTexts = inLanguage('passkeyTexts', {
  signIn: 'Sign in with a passkey',
  errors: {
    'passkey-not-found':
      'This passkey isn’t known here. Sign in another way, then add a new one under Account.',
    'authentication-failed': 'The passkey wasn’t accepted. Try again, or sign in another way.',
    'challenge-not-found': 'That took too long, or you signed in in another tab. Try again.',
    'failed-to-verify-registration': 'The new passkey couldn’t be verified. Try again.',
    'passkeys-unavailable': 'This server isn’t set up for passkeys.',
    'previously-registered': 'This passkey was added already.',
  },
  title: 'Passkeys',
  lead: 'Sign in with your fingerprint, face or screen lock instead of a password.',
  none: 'You have no passkeys yet.',
  add: 'Add a passkey',
  added: 'Passkey added',
  addedAt: (when: string) => `Added ${when}`,
  usedAt: (when: string) => `last used ${when}`,
  actionsOf: (name: string) => `Actions for ${name}`,
  rename: 'Rename',
  renameTitle: (name: string) => `Rename “${name}”`,
  name: 'Name',
  save: 'Save',
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteText:
    'You can’t sign in with it any more. Remove it from your device, too, if it doesn’t do that by itself.',
  deleteLast: 'Your password alone signs you in then, and your recovery codes stop working.',
  deleted: (name: string) => `“${name}” deleted`,
  askAfter: 'Ask for it after the password, too',
  askAfterHint: 'A stolen password isn’t enough then.',
  withCodes: 'After your password, you can use a passkey instead of a code.',
  whyNot: {
    server:
      'Passkeys need https and a name. This server’s address (BASE_URL) must begin with https:// and can’t be an IP address.',
    http: 'Browsers have passkeys over https only. Open the https address of this server.',
    address: 'Browsers have no passkeys at an IP address. Open this server by its name.',
    browser: 'This browser is too old for passkeys.',
  },
  step: 'Use a passkey',
  stepTitle: 'Use your passkey',
  stepLead: 'Confirm it’s you with your fingerprint, face or screen lock.',
  refused: 'Your browser couldn’t use a passkey here. Try again, or sign in another way.',
})
