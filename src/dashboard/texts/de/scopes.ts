import type * as English from '../scopes.ts'

export const keyScopeTexts: typeof English.keyScopeTexts = {
  'files:read': {
    label: 'Dateien lesen',
    can: 'lesen',
    short: 'Lesen',
    hint: 'Dateien auflisten, suchen und herunterladen, und teilen, wo die Einstellungen es erlauben.',
  },
  'files:write': {
    label: 'Dateien schreiben',
    can: 'schreiben',
    short: 'Schreiben',
    hint: 'Hochladen, umbenennen, verschieben, öffentlich oder privat machen.',
  },
  'files:delete': {
    label: 'Dateien löschen',
    can: 'löschen',
    short: 'Löschen',
    hint: 'Dateien und Ordner in den Papierkorb legen und endgültig löschen.',
  },
}

export const scopeTexts: typeof English.scopeTexts = {
  ...keyScopeTexts,
  'api-keys:manage': {
    label: 'API-Schlüssel',
    can: 'API-Schlüssel',
    short: 'Schlüssel',
    hint: 'Schlüssel erstellen und Apps damit arbeiten lassen.',
  },
  'settings:manage': {
    label: 'Einstellungen',
    can: 'Einstellungen',
    short: 'Einstellungen',
    hint: 'Limits und die Sichtbarkeit von Dateien für alle ändern.',
  },
  'users:manage': {
    label: 'Benutzer',
    can: 'Benutzer',
    short: 'Benutzer',
    hint: 'Konten hinzufügen, ändern und löschen.',
  },
}

export const roleTexts: typeof English.roleTexts = {
  admin: { label: 'Admin', hint: 'Kann alles, auch Benutzer und Einstellungen verwalten.' },
  editor: {
    label: 'Bearbeiter',
    hint: 'Kann Dateien lesen, schreiben und löschen, und eigene API-Schlüssel verwalten.',
  },
  viewer: { label: 'Betrachter', hint: 'Kann Dateien ansehen und herunterladen.' },
  custom: { label: 'Angepasst', hint: 'Rechte einzeln wählen.' },
}

export const scopeListTexts: typeof English.scopeListTexts = {
  say: (files, managed) =>
    [files && `Dateien ${files}`, managed && `${managed} verwalten`].filter(Boolean).join(' und '),
}
