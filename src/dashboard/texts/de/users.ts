import type { userTexts as English } from '../users.ts'

export const userTexts: typeof English = {
  lead: 'Personen mit einem Konto hier, und ihre Rechte.',
  list: 'Benutzer',
  add: 'Benutzer hinzufügen',
  columns: {
    name: 'Benutzer',
    role: 'Rolle',
    folders: 'Ordner',
    storage: 'Speicherplatz',
    keys: 'API-Schlüssel',
    added: 'Hinzugefügt',
    seen: 'Zuletzt gesehen',
  },
  you: 'Sie',
  disabled: 'Deaktiviert',
  neverSeen: 'Nie',
  ofQuota: (quota) => `von ${quota}`,
  full: 'Voll',
  actions: 'Aktionen',
  actionsOf: (name) => `Aktionen für ${name}`,
  search: 'Benutzer durchsuchen',
  noMatch: 'Kein passender Benutzer',

  everything: 'Alles',
  noFolders: 'Noch keine',
  reach: 'Zugriff',
  reaches: {
    all: { label: 'Alles', hint: 'Alle Dateien und Ordner auf diesem Server.' },
    some: {
      label: 'Nur einige Ordner',
      hint: 'Diese Ordner und alles darin. Sonst sieht das Konto nichts.',
    },
  },
  addFolder: 'Ordner hinzufügen',
  addThisFolder: 'Diesen Ordner hinzufügen',
  removeFolder: (name) => `${name} entfernen`,
  inTrash: (name) => `${name} (im Papierkorb)`,
  makeHome: 'Einen Ordner für diese Person anlegen',
  homeOf: (name) => `people/${name}`,
  changeFolders: 'Ordner ändern',
  foldersTitle: (name) => `Ordner von ${name}`,
  foldersText: 'Gilt sofort, auch für API-Schlüssel und Freigaben der Person.',
  foldersChanged: (name) => `Ordner von ${name} geändert`,

  addTitle: 'Benutzer hinzufügen',
  role: 'Rolle',
  may: 'Rechte',
  chooseScope: 'Wählen Sie mindestens ein Recht.',
  password: 'Passwort',
  passwordHint: 'Mindestens 8 Zeichen. Unter „Konto“ lässt es sich ändern.',
  generate: 'Erzeugen',

  handOverTitle: (name) => `Geben Sie ${name} diese Anmeldedaten`,
  handOverText: 'Sie sehen das Passwort nicht wieder.',
  handOver: (address, email, password) => `${address}\nE-Mail: ${email}\nPasswort: ${password}`,
  handOverLabel: 'Anmeldedaten',

  changeRole: 'Rolle ändern',
  changeRoleTitle: (name) => `Rolle von ${name}`,
  changeRoleText: 'Gilt sofort, auch für API-Schlüssel der Person.',
  save: 'Speichern',
  roleChanged: (name, role) => `${name} ist jetzt ${role}`,

  resetPassword: 'Passwort zurücksetzen',
  resetTitle: (name) => `Neues Passwort für ${name}`,
  resetText: 'Das meldet die Person auf allen Geräten ab.',
  deleteKeys: 'Auch die API-Schlüssel löschen',
  endShares: 'Auch die Freigaben beenden',
  keepLinked: 'Verknüpfung mit dem Anbieter behalten',
  reset: 'Passwort festlegen',

  twoStep: 'Zwei Schritte',
  resetTwoStep: 'Zwei Schritte zurücksetzen',
  resetTwoStepTitle: (name) => `Anmeldung in zwei Schritten von ${name} zurücksetzen?`,
  resetTwoStepAction: 'Zurücksetzen',
  resetTwoStepText:
    'Für Personen, die ihr Telefon verloren haben. Dann genügt das Passwort, Passkeys und Wiederherstellungscodes funktionieren nicht mehr, und die Person wird überall abgemeldet.',
  twoStepReset: (name) => `${name} meldet sich nur mit dem Passwort an`,

  changeQuota: 'Speicherplatz begrenzen',
  quotaTitle: (name) => `Speicherlimit von ${name}`,
  quotaText:
    'Dateien, frühere Versionen und der Papierkorb zählen für das Konto, das sie hochgeladen hat. Ein niedrigeres Limit löscht nichts.',
  quota: 'Speicherlimit',
  quotaChoices: { none: 'Kein Limit', limit: 'Limit' },
  quotaUsed: (used) => `${used} belegt`,
  quotaChanged: (name, quota) =>
    quota === undefined ? `${name} hat kein Speicherlimit` : `${name} kann ${quota} speichern`,

  disable: 'Deaktivieren',
  disableTitle: (name) => `${name} deaktivieren?`,
  disableText:
    'Das meldet die Person überall ab und hält ihre API-Schlüssel an, bis Sie das Konto wieder aktivieren.',
  disabledNow: (name) => `${name} ist deaktiviert`,
  enable: 'Aktivieren',
  enabledNow: (name) => `${name} kann sich wieder anmelden`,

  delete: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteText:
    'Das löscht das Konto mit Sitzungen, API-Schlüsseln und Verlauf. Die Dateien bleiben. Das lässt sich nicht rückgängig machen.',
  deleted: (name) => `${name} gelöscht`,
}
