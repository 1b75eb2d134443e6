import type { passkeyTexts as English } from '../passkeys.ts'

export const passkeyTexts: typeof English = {
  signIn: 'Mit einem Passkey anmelden',
  errors: {
    'passkey-not-found':
      'Dieser Passkey ist hier nicht bekannt. Melden Sie sich anders an, und fügen Sie unter „Konto“ einen neuen hinzu.',
    'authentication-failed':
      'Der Passkey wurde nicht angenommen. Versuchen Sie es erneut, oder melden Sie sich anders an.',
    'challenge-not-found':
      'Das hat zu lange gedauert, oder Sie haben sich in einem anderen Tab angemeldet. Versuchen Sie es erneut.',
    'failed-to-verify-registration': 'Der neue Passkey ließ sich nicht bestätigen. Versuchen Sie es erneut.',
    'passkeys-unavailable': 'Dieser Server ist nicht für Passkeys eingerichtet.',
    'previously-registered': 'Dieser Passkey wurde schon hinzugefügt.',
  },
  title: 'Passkeys',
  lead: 'Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an statt mit einem Passwort.',
  none: 'Sie haben noch keine Passkeys.',
  add: 'Passkey hinzufügen',
  added: 'Passkey hinzugefügt',
  addedAt: (when) => `Hinzugefügt ${when}`,
  usedAt: (when) => `zuletzt benutzt ${when}`,
  actionsOf: (name) => `Aktionen für ${name}`,
  rename: 'Umbenennen',
  renameTitle: (name) => `„${name}“ umbenennen`,
  name: 'Name',
  save: 'Speichern',
  delete: 'Löschen',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteText:
    'Sie können sich nicht mehr damit anmelden. Entfernen Sie ihn auch von Ihrem Gerät, falls das nicht von selbst geschieht.',
  deleteLast:
    'Dann genügt Ihr Passwort zur Anmeldung, und Ihre Wiederherstellungscodes funktionieren nicht mehr.',
  deleted: (name) => `„${name}“ gelöscht`,
  askAfter: 'Auch nach dem Passwort danach fragen',
  askAfterHint: 'Ein gestohlenes Passwort genügt dann nicht.',
  withCodes: 'Nach dem Passwort können Sie statt eines Codes einen Passkey verwenden.',
  whyNot: {
    server:
      'Passkeys brauchen https und einen Namen. Die Adresse dieses Servers (BASE_URL) muss mit https:// beginnen und darf keine IP-Adresse sein.',
    http: 'Browser erlauben Passkeys nur über https. Öffnen Sie die https-Adresse dieses Servers.',
    address: 'Browser erlauben keine Passkeys an einer IP-Adresse. Öffnen Sie den Server über seinen Namen.',
    browser: 'Dieser Browser ist zu alt für Passkeys.',
  },
  step: 'Passkey verwenden',
  stepTitle: 'Passkey verwenden',
  stepLead: 'Bestätigen Sie mit Fingerabdruck, Gesicht oder Bildschirmsperre, dass Sie es sind.',
  refused:
    'Ihr Browser konnte hier keinen Passkey verwenden. Versuchen Sie es erneut, oder melden Sie sich anders an.',
}
