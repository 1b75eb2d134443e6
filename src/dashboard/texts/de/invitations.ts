import type { invitationTexts as English } from '../invitations.ts'

export const invitationTexts: typeof English = {
  title: (place) => `Bei ${place} mitmachen`,
  lead: (name, until) =>
    `${name} hat Sie eingeladen. Erstellen Sie Ihr Konto, bevor die Einladung am ${until} abläuft.`,
  can: {
    admin: 'Sie werden Admin und können alles, auch Benutzer und Einstellungen verwalten.',
    editor: 'Sie können dann Dateien hochladen, ändern, teilen und löschen.',
    viewer: 'Sie können dann Dateien ansehen und herunterladen.',
  },
  folders: 'Sie bekommen diese Ordner:',
  noFolders: 'Sie sehen keine Ordner, bis ein Admin Sie in einen hineinlässt.',
  canOf: (scopes) => `Sie können dann ${scopes}.`,
  fixedEmail: 'Die Einladung gilt für diese Adresse. Mit ihr melden Sie sich an.',
  freeEmail: 'Mit ihr melden Sie sich an.',
  accept: 'Konto erstellen',
  haveAccount: 'Ich habe schon ein Konto',
  closedTitle: 'Diese Einladung gilt nicht',
  closedText:
    'Vielleicht ist sie abgelaufen, schon benutzt oder widerrufen. Bitten Sie die Person, die sie geschickt hat, um eine neue.',
  signIn: 'Zur Anmeldung',
  signedInTitle: 'Sie sind schon angemeldet',
  notNeeded: (email) =>
    `Diese Einladung wurde benutzt oder gilt nicht mehr. Sie brauchen sie nicht: Dieser Browser ist als ${email} angemeldet.`,
  toFiles: 'Weiter zu Holdfast',
  signedInText: (email) =>
    `Dieser Browser ist als ${email} angemeldet. Melden Sie sich erst ab, um mit dieser Einladung ein weiteres Konto zu erstellen.`,
  signOut: 'Abmelden und weiter',
  stay: 'Angemeldet bleiben',

  invite: 'Einladen',
  inviteTitle: 'Person einladen',
  inviteText: 'Sie bekommen einen Link zum Verschicken. Eine Person kann damit ein Konto erstellen.',
  email: 'E-Mail (optional)',
  emailHint: 'Beschränkt die Einladung auf diese Adresse. Es wird keine E-Mail verschickt.',
  note: 'Notiz (optional)',
  noteHint: 'Nur für Admins sichtbar, etwa „neue Fotografin“.',
  create: 'Link erstellen',

  madeTitle: 'Kopieren Sie den Link jetzt',
  madeText: (until) => `Er funktioniert einmal, bis ${until}. Sie sehen ihn nicht wieder.`,
  link: 'Einladungslink',

  list: 'Einladungen',
  open: { one: 'offene Einladung', other: 'offene Einladungen' },
  columns: { name: 'Einladung', role: 'Rolle', folders: 'Ordner', state: 'Status', expires: 'Läuft ab' },
  anyone: 'Alle mit dem Link',
  anyoneThere: 'alle',
  createdBy: (when, name) => `Erstellt ${when} von ${name}`,
  deletedAccount: 'einem gelöschten Konto',
  states: { open: 'Offen', used: 'Benutzt', expired: 'Abgelaufen', suspended: 'Ausgesetzt' },
  usedBy: (name) => `von ${name}`,
  suspended: (name) => `${name} darf keine Benutzer mehr verwalten`,
  actions: 'Aktionen',
  revoke: {
    action: 'Widerrufen',
    actionOf: (name) => `Einladung widerrufen: ${name}`,
    title: 'Diese Einladung widerrufen?',
    text: (name) => `Der Link für ${name} funktioniert sofort nicht mehr.`,
    done: 'Einladung widerrufen',
  },
  remove: {
    action: 'Entfernen',
    actionOf: (name) => `Einladung entfernen: ${name}`,
    title: 'Diese Einladung entfernen?',
    text: (name) => `Der Link für ${name} ist abgelaufen. Die Einladung verschwindet aus der Liste.`,
    done: 'Einladung entfernt',
  },
}
