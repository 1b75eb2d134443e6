import type { dialogTexts as English } from '../dialogs.ts'

const inBrackets = (text: string) => (text === '' ? '' : ` (${text})`)

export const dialogTexts: typeof English = {
  counting: 'Es wird gezählt, was gelöscht würde…',
  deleteTitle: (what) => `${what} endgültig löschen?`,
  expires: (moment, left) => `Noch ${left} gültig (bis ${moment}).`,
  extensionText:
    'Mit einer anderen Endung ändert sich der Dateityp, und Apps öffnen die Datei vielleicht nicht mehr.',
  extensionTitle: (name) => `In „${name}“ umbenennen?`,
  facts: {
    added: 'Hinzugefügt',
    changed: 'Geändert',
    checksum: 'SHA-256',
    folder: 'Ordner',
    size: 'Größe',
    traffic: 'Zugriffe, letzte 30 Tage',
    type: 'Typ',
    visibility: 'Sichtbarkeit',
  },
  folderName: 'Name',
  lifetime: 'Läuft ab nach',
  loss: {
    files: (count, what, size) =>
      count === 1
        ? `Die Datei${inBrackets(size)} wird gelöscht. Links darauf funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.`
        : `${what}${inBrackets(size)} werden gelöscht. Links darauf funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
    folder: (what, size) =>
      what === ''
        ? 'Der Ordner wird gelöscht. Er ist leer.'
        : `Der Ordner wird gelöscht, mit seinem Inhalt: ${what}${inBrackets(size)}. Links darauf funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
    mixed: (what, size) =>
      `Gelöscht wird, samt Inhalt der Ordner: ${what}${inBrackets(size)}. Links darauf funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
    uncounted: (what) =>
      `Gelöscht wird, samt Inhalt der Ordner: ${what}. Links auf die Dateien funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
  },
  makeLink: 'Link erstellen',
  moveTitle: (what) => `${what} verschieben`,
  moveTo: (where) => `Verschieben nach ${where}`,
  noFolders: 'Hier sind keine Ordner.',
  noTraffic: 'Keine Zugriffe',
  plainLink: 'Link',
  plainLinkIs: {
    public: 'Alle, die diesen Link haben, können die Datei öffnen.',
    private: 'Diese Datei ist privat: Der Link öffnet sich nur für angemeldete Benutzer.',
  },
  signedLink: 'Ablaufender Link',
  signedLinkText:
    'Alle, die diesen Link haben, können die Datei öffnen, bis er abläuft. Vorher lässt er sich nicht widerrufen.',
  traffic: (requests, bytes) => `${requests}, ${bytes} gesendet`,
  trafficLabel: 'Zugriffe pro Tag',
  versions: {
    delete: 'Endgültig löschen',
    deleted: 'Version endgültig gelöscht',
    deleteOf: (when) => `Version vom ${when} endgültig löschen`,
    deleteText: (when) => `Die Version vom ${when} wird gelöscht. Die Datei selbst bleibt, wie sie ist.`,
    deleteTitle: 'Diese Version endgültig löschen?',
    download: (when) => `Version vom ${when} herunterladen`,
    facts: (size, when) => `${size}, ersetzt ${when}`,
    restore: (when) => `Version vom ${when} wiederherstellen`,
    restored: (when) => `Version vom ${when} wiederhergestellt. Die bisherige bleibt als Version erhalten.`,
    title: 'Frühere Versionen',
  },
  visibilityText:
    'Alle Dateien in den ausgewählten Ordnern und darunter ändern sich. Einfache Links auf Dateien, die privat werden, funktionieren nicht mehr öffentlich.',
  visibilityTitle: (visibility) => `Alles ${visibility} machen?`,
}
