import type { settingsTexts as English } from '../settings.ts'

export const settingsTexts: typeof English = {
  applied: (what, visibility) => `${what} jetzt ${visibility}`,
  apply: {
    public: (what) => `${what} öffentlich machen`,
    private: (what) => `${what} privat machen`,
  },
  applyText: {
    public: (what) =>
      `Öffentlich würden: ${what}. Alle, die den Link einer Datei haben oder erraten, könnten sie öffnen.`,
    private: (what) =>
      `Privat würden: ${what}. Ihre einfachen Links funktionieren dann nicht mehr öffentlich. Ablaufende Links funktionieren weiter.`,
  },
  applyTitle: { public: 'Alle Dateien öffentlich machen?', private: 'Alle Dateien privat machen?' },
  atLeast: (amount) => `Mindestens ${amount}.`,
  atMost: (amount) => `Höchstens ${amount}.`,
  changelog: 'Was ist neu',
  caching: {
    title: 'Zwischenspeicher',
    lead: 'Wie lange Browser und Proxys öffentliche Dateien wiederverwenden, ohne auf Änderungen zu prüfen.',
  },
  counts: (open, closed) => `${open} öffentlich, ${closed} privat`,
  cutsHistory: (days) =>
    `Beim Speichern wird aller Verlauf gelöscht, der älter als ${days} ist. Das lässt sich nicht rückgängig machen.`,
  cutsTrash: {
    older: (days) =>
      `Was schon länger als ${days} im Papierkorb liegt, wird endgültig gelöscht. Das lässt sich nicht rückgängig machen.`,
    all: 'Der Papierkorb wird geleert, und künftig wird sofort endgültig gelöscht. Das lässt sich nicht rückgängig machen.',
  },
  cutsVersions: {
    older: (days) =>
      `Versionen, deren Ersetzung länger als ${days} zurückliegt, werden endgültig gelöscht. Das lässt sich nicht rückgängig machen.`,
    all: 'Alle früheren Versionen werden endgültig gelöscht. Das lässt sich nicht rückgängig machen.',
  },
  discard: 'Verwerfen',
  existingFiles: 'Vorhandene Dateien',
  history: {
    title: 'Verlauf',
    lead: 'Wie lange der Verlauf aufbewahrt wird. Dateien sind davon nie betroffen.',
  },
  leave: 'Ohne Speichern verlassen',
  leaveText: 'Ihre Änderungen sind noch nicht gespeichert.',
  leaveTitle: 'Ohne Speichern verlassen?',
  limits: {
    maxUploadSize: { label: 'Maximale Dateigröße', hint: 'Größere Uploads werden abgelehnt.' },
    defaultPresignTtl: {
      label: 'Übliche Gültigkeit',
      hint: 'Gilt, wenn keine gewählt wird.',
    },
    maxPresignTtl: { label: 'Maximale Gültigkeit', hint: 'Länger gilt kein Link.' },
    hostingCacheMaxAge: {
      label: 'Dauer',
      hint: '0 = immer nach einer neueren Version fragen.',
    },
    activityRetentionDays: { label: 'Aktivität', hint: 'Auf der Seite „Aktivität“ jedes Kontos.' },
    trashDays: { label: 'Papierkorb', hint: '0 = kein Papierkorb: Gelöschtes ist sofort weg.' },
    versionDays: {
      label: 'Frühere Versionen',
      hint: '0 = keine früheren Versionen: Ersetzte Dateien sind weg.',
    },
    apiRequestRetentionDays: {
      label: 'Anfragen mit API-Schlüsseln',
      hint: 'Daten der Diagramme zu API-Schlüsseln.',
    },
  },
  links: {
    title: 'Ablaufende Links',
    lead: 'Alle, die einen ablaufenden Link haben, können die Datei öffnen, bis er abläuft.',
  },
  longerThanLongest: 'Das ist länger als die maximale Gültigkeit.',
  makeAll: { public: 'Alle Dateien öffentlich machen', private: 'Alle Dateien privat machen' },
  newFiles: 'Neue Dateien',
  newFilesAre: {
    public: 'Alle mit dem Link einer Datei können sie öffnen, wenn sie nicht privat hochgeladen wird.',
    private:
      'Nur mit einem Konto, einer Freigabe oder einem ablaufenden Link lassen sich neue Dateien öffnen. Öffentlich hochladen lässt sich trotzdem.',
  },
  twoStep: {
    title: 'Anmeldung in zwei Schritten',
    lead: 'Nach dem Passwort ein Code vom Telefon. Alle können sie unter „Konto“ einschalten.',
  },
  mustTwoStep: 'Pflicht für',
  twoSteppers: { no: 'Niemanden', admins: 'Admins', all: 'Alle' },
  twoStepHints: {
    no: 'Alle entscheiden selbst.',
    admins: 'Admins ohne sie können nur ihre Kontoseite öffnen, bis sie sie einrichten.',
    all: 'Konten ohne sie können nur ihre Kontoseite öffnen, bis sie sie einrichten. API-Schlüssel funktionieren weiter.',
  },
  sharing: { title: 'Freigaben', lead: 'Freigaben sind Links, die man ohne Konto öffnen kann.' },
  mayShare: 'Wer teilen darf',
  sharers: { readers: 'Alle', writers: 'Bearbeiter', nobody: 'Niemand' },
  shareDays: (days) => `Übliche Dauer einer Freigabe: ${days} (SHARE_DAYS).`,
  shareMaxDays: (days) => `Längste Dauer einer Freigabe: ${days} (SHARE_MAX_DAYS).`,
  sharingHints: {
    readers: 'Wer Dateien ansehen darf, darf sie auch teilen.',
    writers: 'Wer hochladen und ändern darf, darf auch teilen.',
    nobody: 'Neue Freigaben sind nicht möglich. Vorhandene bleiben offen, bis jemand sie beendet.',
  },
  notANumber: 'Das muss eine Zahl sein.',
  removed: {
    title: 'Papierkorb und Versionen',
    lead: 'Wie lange sich gelöschte Dateien und frühere Versionen wiederherstellen lassen. Wird der Platz knapp, werden die ältesten früher gelöscht, Versionen zuerst.',
  },
  save: 'Speichern',
  saved: 'Einstellungen für alle gespeichert.',
  unsaved: 'Nicht gespeicherte Änderungen',
  units: {
    second: { one: 'Sekunde', other: 'Sekunden' },
    minute: { one: 'Minute', other: 'Minuten' },
    hour: { one: 'Stunde', other: 'Stunden' },
    week: { one: 'Woche', other: 'Wochen' },
    year: { one: 'Jahr', other: 'Jahre' },
  },
  uploads: { title: 'Uploads', lead: 'Grenzen für das, was hochgeladen werden kann.' },
  version: (version) => `Holdfast ${version}.`,
  visibility: { title: 'Sichtbarkeit', lead: 'Wer Dateien über ihre einfachen Links öffnen kann.' },
}
