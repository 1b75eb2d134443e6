import type { searchTexts as English } from '../search.ts'

export const searchTexts: typeof English = {
  title: 'Alle Dateien durchsuchen',
  placeholder: 'Dateien, Ordner und Befehle suchen',
  results: 'Ergebnisse',
  newest: 'Neu hinzugefügt',
  added: 'Hinzugefügt',
  favorites: {
    none: 'Noch keine Favoriten',
    how: 'Wählen Sie im Menü einer Datei oder eines Ordners „Zu Favoriten hinzufügen“, oder drücken Sie darauf *.',
  },
  none: 'Nichts gefunden',
  noneYet: 'Noch nichts. Tippen Sie weiter.',
  kind: 'Typ',
  folders: 'Ordner',
  moreFolders: (count) => `${count} weitere`,
  sideWidth: 'Breite der Navigation',
  visibility: 'Sichtbarkeit',
  anyVisibility: 'Öffentlich und privat',
  uploader: 'Hochgeladen von',
  anyone: 'Von allen hochgeladen',
  me: 'Von mir hochgeladen',
  by: (name) => `Hochgeladen von ${name}`,
  place: 'Ort',
  everywhere: 'Überall',
  within: (folder) => `In ${folder}`,
  found: (count, hasMore) =>
    hasMore ? `Die ersten ${count} Ergebnisse. Tippen Sie weiter, um sie einzugrenzen.` : `${count} gefunden`,
  keys: '↑ ↓ zum Wählen, Eingabe zum Öffnen',
  forCommands: '> für Befehle',
  commands: 'Befehle',
  goTo: 'Gehe zu',
}
