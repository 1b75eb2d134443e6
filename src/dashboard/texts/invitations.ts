import { inLanguage } from '../language.ts'

/** Texts of invitations: of the page that a link opens, and of the page of users. */
export const invitationTexts = inLanguage('invitationTexts', {
  title: (place: string) => `Join ${place}`,
  lead: (name: string, until: string) =>
    `${name} invited you. Create your account before the invitation expires on ${until}.`,
  can: {
    admin: 'You’ll be an admin: you can do everything, including managing users and settings.',
    editor: 'You’ll be able to upload, change, share and delete files.',
    viewer: 'You’ll be able to view and download files.',
  },
  folders: 'You’ll have these folders:',
  noFolders: 'You’ll see no folders until an admin lets you into one.',
  canOf: (scopes: string) => `You’ll be able to ${scopes}.`,
  fixedEmail: 'The invitation is for this address. You’ll sign in with it.',
  freeEmail: 'You’ll sign in with it.',
  accept: 'Create account',
  haveAccount: 'I already have an account',
  closedTitle: 'This invitation doesn’t work',
  closedText:
    'It may have expired, been used already or been revoked. Ask the person who sent it for a new one.',
  signIn: 'Go to sign-in',
  signedInTitle: 'You’re already signed in',
  notNeeded: (email: string) =>
    `This invitation was used or has ended. You don’t need it: this browser is signed in as ${email}.`,
  toFiles: 'Continue to Holdfast',
  signedInText: (email: string) =>
    `This browser is signed in as ${email}. To create another account with this invitation, sign out first.`,
  signOut: 'Sign out and continue',
  stay: 'Stay signed in',

  invite: 'Invite',
  inviteTitle: 'Invite someone',
  inviteText: 'You get a link to send. One person can create an account with it.',
  email: 'E-mail (optional)',
  emailHint: 'Restricts the invitation to this address. No mail is sent.',
  note: 'Note (optional)',
  noteHint: 'Only admins see it, such as “new photographer”.',
  create: 'Create link',

  madeTitle: 'Copy the link now',
  madeText: (until: string) => `It works once, until ${until}. You won’t see it again.`,
  link: 'Invitation link',

  list: 'Invitations',
  open: { one: 'open invitation', other: 'open invitations' },
  columns: { name: 'Invitation', role: 'Role', folders: 'Folders', state: 'Status', expires: 'Expires' },
  anyone: 'Anyone with the link',
  anyoneThere: 'anyone',
  createdBy: (when: string, name: string) => `Created ${when} by ${name}`,
  deletedAccount: 'a deleted account',
  states: { open: 'Open', used: 'Used', expired: 'Expired', suspended: 'Suspended' },
  usedBy: (name: string) => `by ${name}`,
  suspended: (name: string) => `${name} can no longer manage users`,
  actions: 'Actions',
  revoke: {
    action: 'Revoke',
    actionOf: (name: string) => `Revoke the invitation: ${name}`,
    title: 'Revoke this invitation?',
    text: (name: string) => `The link for ${name} stops working immediately.`,
    done: 'Invitation revoked',
  },
  remove: {
    action: 'Remove',
    actionOf: (name: string) => `Remove the invitation: ${name}`,
    title: 'Remove this invitation?',
    text: (name: string) => `The link for ${name} has expired. This removes it from the list.`,
    done: 'Invitation removed',
  },
})
