import { formatNumber } from '../../language.ts'
import type { previewTexts as English } from '../preview.ts'

const UNPLAYED = {
  title: 'Ihr Browser kann diese Datei nicht abspielen',
  text: 'Laden Sie sie herunter, um sie mit einem anderen Programm abzuspielen.',
}

export const previewTexts: typeof English = {
  place: (number, count) => `${formatNumber(number)} von ${formatNumber(count)}`,
  previous: 'Vorige Datei',
  next: 'Nächste Datei',
  notFound: 'Datei nicht gefunden',
  notFoundText: 'Vielleicht wurde sie verschoben oder gelöscht, oder Sie haben keinen Zugriff.',
  unshown: {
    picture: {
      title: 'Dieses Bild lässt sich nicht anzeigen',
      text: 'Vielleicht ist es beschädigt oder in einem Format, das Ihr Browser nicht kennt. Sie können es herunterladen.',
    },
    video: UNPLAYED,
    audio: UNPLAYED,
    pdf: {
      title: 'Dieses PDF lässt sich nicht anzeigen',
      text: 'Vielleicht ist es beschädigt oder durch ein Passwort geschützt. Laden Sie es herunter, um ein anderes Programm zu versuchen.',
    },
    unknown: {
      title: 'Keine Vorschau für diesen Typ',
      text: 'Laden Sie die Datei herunter, um sie auf Ihrem Gerät zu öffnen.',
    },
  },
  large: 'Diese Datei ist zu groß für eine Vorschau',
  largeText: (limit) =>
    `Ihr Name verrät den Typ nicht, und nur bis ${limit} wird nach dem Inhalt entschieden. Sie können sie herunterladen.`,
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  zoomed: (percent) => `${percent} %`,
  fit: (percent) => `Zoom ${percent} %: an das Fenster anpassen`,
  empty: 'Diese Datei ist leer',
  part: 'Teil des Textes',
  parts: { start: 'Anfang', end: 'Ende' },
  look: 'Ansicht',
  looks: {
    markdown: { rendered: 'Formatiert', source: 'Quelltext' },
    table: { rendered: 'Tabelle', source: 'Quelltext' },
  },
  wrap: 'Zeilen umbrechen',
  more: 'Mehr anzeigen',
  earlier: 'Frühere Zeilen anzeigen',
  amount: (shown, size) => `${shown} von ${size} angezeigt`,
  task: (isDone) => (isDone ? 'Erledigt' : 'Offen'),
  remotePicture: 'Externes Bild',
  uploader: {
    title: 'Hochgeladen von',
    you: (name) => `${name} (Sie)`,
    gone: 'Gelöschtes Konto',
    none: 'Auf der Festplatte gefunden',
  },
  photo: {
    title: 'Bild',
    taken: 'Aufgenommen',
    camera: 'Kamera',
    lens: 'Objektiv',
    exposure: 'Belichtung',
    dimensions: 'Abmessungen',
    place: 'Ort',
  },
}
