import type { PageTexts } from './en.ts'
import type { Speech } from './speech.ts'

const file = { one: 'Datei', other: 'Dateien' }

export const german = ({ number, count, bytes, clock }: Speech): PageTexts => ({
  shared: 'Freigegebene Dateien',
  sendFiles: 'Dateien senden',
  sendTo: (name) => `Dateien an ${name} senden`,
  back: 'Zurück',
  folder: 'Ordner',
  more: 'Weitere Dateien',
  nothing: 'Hier sind zurzeit keine Dateien.',
  summary: (sum) => `${count(sum.count, file)}, ${bytes(sum.size)}`,
  sharedBy: (name) => `Freigegeben von ${name}`,
  sharedFile: (name, what) => `Freigegeben von ${name}: ${what}`,
  sharedFiles: (name, summary) => `Freigegeben von ${name}: ${summary}`,
  download: 'Herunterladen',
  downloadOne: (size) => `Herunterladen (${bytes(size)})`,
  downloadAll: 'Alles als ZIP herunterladen',
  unshown: 'Laden Sie diese Datei herunter, um sie zu öffnen.',
  limited: 'Das Anzeigen zählt als Download. Deshalb ist die Datei hier nicht zu sehen.',
  pdfUnshown: 'Dieser Browser kann PDFs nicht in einer Seite anzeigen.',
  beginning: 'Sie sehen nur den Anfang. Laden Sie die Datei herunter, um alles zu lesen.',
  pictures: 'Vorheriges und nächstes',
  strip: 'Bilder',
  previous: 'Vorheriges',
  next: 'Nächstes',

  closed: {
    title: 'Link nicht gefunden',
    heading: 'Diesen Link gibt es nicht, oder er ist abgelaufen',
    advice: 'Prüfen Sie, ob der Link vollständig ist, oder bitten Sie um einen neuen.',
  },
  missing: {
    title: 'Nicht gefunden',
    heading: 'Hier ist nichts',
    advice:
      'Der Link ist vielleicht unvollständig, oder die Datei ist nicht mehr da. Bitten Sie um einen neuen Link.',
  },
  expired: {
    title: 'Link abgelaufen',
    heading: 'Dieser Link ist abgelaufen',
    advice: 'Bitten Sie um einen neuen Link.',
  },
  busy: {
    title: 'Versuchen Sie es gleich noch einmal',
    heading: 'Zurzeit keine weiteren Downloads',
    back: 'Zurück zu den Dateien',
  },
  taken: (until) =>
    `Gerade laden andere herunter, und mehr erlaubt dieser Link zurzeit nicht. Versuchen Sie es um ${clock(until)} noch einmal.`,
  tooMany: {
    heading: 'Zu viele Anfragen',
    advice:
      'Aus Ihrem Netzwerk kommen gerade viele Anfragen. Warten Sie eine Minute, und laden Sie die Seite neu.',
  },
  unavailable: {
    heading: 'Zurzeit nicht verfügbar',
    advice:
      'Der Server ist ausgelastet oder erreicht seine Daten nicht. Warten Sie eine Minute, gehen Sie zurück, und versuchen Sie es noch einmal.',
  },
  failed: {
    heading: 'Etwas ist schiefgegangen',
    advice:
      'Gehen Sie zurück, und versuchen Sie es noch einmal. Hilft das nicht, fragen Sie die Person, von der Sie den Link haben.',
  },
  locked: { heading: 'Diese Dateien sind durch ein Passwort geschützt', enter: 'Passwort eingeben' },
  password: {
    lead: 'Diese Freigabe ist durch ein Passwort geschützt.',
    label: 'Passwort',
    open: 'Öffnen',
    wrong: 'Das Passwort ist falsch.',
    limited: 'Zu viele falsche Passwörter. Warten Sie eine Minute, und versuchen Sie es noch einmal.',
  },
  site: {
    heading: 'Diese Website ist durch ein Passwort geschützt',
    over: 'Diese Adresse öffnet die Website nicht mehr.',
  },
  chats: {
    read: 'Dateien ansehen und herunterladen',
    both: 'Dateien ansehen, herunterladen und eigene senden',
    write: 'Ein Formular, um Dateien zu senden',
  },

  refused: {
    title: 'Dateien nicht gesendet',
    heading: 'Die Dateien wurden nicht gesendet',
    again: 'Erneut versuchen',
  },
  refusals: {
    'share-full': 'Für so viel ist in diesem Link kein Platz mehr.',
    'type-not-accepted': 'Dateien dieses Typs werden hier nicht angenommen.',
    'too-large': 'So groß darf eine Datei hier nicht sein.',
    'too-many': 'Das sind zu viele Dateien auf einmal.',
    'no-space': 'Dafür ist kein Speicherplatz mehr frei. Fragen Sie die Person, von der Sie den Link haben.',
    'share-not-found': 'Dieser Link wurde beendet.',
    other: 'Der Server hat das nicht angenommen. Versuchen Sie es später noch einmal.',
  },
  box: {
    choose: 'Dateien auswählen oder hierher ziehen',
    send: 'Senden',
    away: 'Dieser Link nimmt zurzeit keine Dateien an. Fragen Sie die Person, von der Sie ihn haben.',
    hasAll: 'Dieser Link hat alle Dateien erhalten, die er aufnehmen kann.',
    isFull:
      'Dateien, die gerade gesendet werden, belegen den letzten Platz. Versuchen Sie es später noch einmal.',
    any: (fileSize) => `Senden Sie beliebige Dateien, jede bis ${bytes(fileSize)}.`,
    some: (amount, size, fileSize) => {
      const most =
        amount === undefined
          ? 'Senden Sie Dateien'
          : `Senden Sie bis zu ${count(amount, { one: 'weitere Datei', other: 'weitere Dateien' })}`
      return `${most}${size === undefined ? '' : `, insgesamt ${bytes(size)}`}. Jede Datei darf bis ${bytes(fileSize)} groß sein.`
    },
    types: (types) => `Erlaubte Typen: ${types}`,
    arrived: (name, amount) => `${name} hat ${amount === 1 ? 'Ihre Datei' : `Ihre ${count(amount, file)}`}`,
    received: (size) => `${bytes(size)}, angekommen`,
    others: (amount) => `und ${number(amount)} weitere`,
  },
  script: {
    file,
    remove: 'Entfernen:',
    sending: 'Wird gesendet',
    arrived: 'Angekommen',
    waiting: 'Warten auf die Verbindung …',
  },
})
