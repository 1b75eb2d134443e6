import { formatCount, formatNumber } from '../../language.ts'
import type { FirstTexts } from '../translation.ts'

const secondsOf = (count: number) => formatCount(count, { one: 'Sekunde', other: 'Sekunden' })

export const texts: FirstTexts = {
  byte: 'B',
  justNow: 'gerade eben',
  loading: 'Wird geladen',
  notifications: 'Mitteilungen',
  signOut: 'Abmelden',
  today: 'Heute',
  yesterday: 'Gestern',

  actions: {
    cancel: 'Abbrechen',
    close: 'Schließen',
    copied: 'Kopiert',
    copy: 'Kopieren',
    done: 'Fertig',
    retry: 'Erneut versuchen',
  },

  nouns: {
    file: { one: 'Datei', other: 'Dateien' },
    item: { one: 'Element', other: 'Elemente' },
    folder: { one: 'Ordner', other: 'Ordner' },
    request: { one: 'Anfrage', other: 'Anfragen' },
    day: { one: 'Tag', other: 'Tage' },
    entry: { one: 'Eintrag', other: 'Einträge' },
    miss: { one: 'Fehlanfrage', other: 'Fehlanfragen' },
    upload: { one: 'Upload', other: 'Uploads' },
    delete: { one: 'Löschung', other: 'Löschungen' },
    change: { one: 'Änderung', other: 'Änderungen' },
    device: { one: 'Gerät', other: 'Geräte' },
    download: { one: 'Download', other: 'Downloads' },
  },

  unitOf: (label) => `${label}: Einheit`,

  lifetime: 'Läuft ab',
  lifetimes: {
    1: 'In einem Tag',
    7: 'In 7 Tagen',
    30: 'In 30 Tagen',
    90: 'In 90 Tagen',
    365: 'In einem Jahr',
    day: 'An einem Datum',
    never: 'Nie',
  },
  lastDay: 'Letzter Tag',
  worksUntil: (moment) => `Gültig bis ${moment}.`,

  pages: {
    files: 'Dateien',
    recent: 'Zuletzt',
    favorites: 'Favoriten',
    shares: 'Freigaben',
    trash: 'Papierkorb',
    overview: 'Übersicht',
    activity: 'Aktivität',
    security: 'Sicherheitsprotokoll',
    settings: 'Einstellungen',
    keys: 'API-Schlüssel',
    users: 'Benutzer',
    account: 'Konto',
  },
  themes: { system: 'System', light: 'Hell', dark: 'Dunkel' },
  visibility: { public: 'Öffentlich', private: 'Privat' },

  frame: {
    menu: 'Menü',
    navigation: 'Seiten',
    search: 'Suchen',
    skip: 'Zum Inhalt',
    theme: 'Darstellung',
    docs: 'Dokumentation',
    apiDocs: 'API-Referenz',
  },

  account: {
    email: 'E-Mail',
    name: 'Name',
    password: 'Passwort',
    passwordHint: 'Mindestens 8 Zeichen.',
    showPassword: 'Passwort anzeigen',
    hidePassword: 'Passwort verbergen',
  },

  fieldProblems: {
    missing: 'Bitte ausfüllen.',
    email: 'Geben Sie eine E-Mail-Adresse ein, etwa ada@example.com.',
    short: (length) => `Verwenden Sie mindestens ${length} Zeichen.`,
  },

  signIn: {
    title: 'Anmelden',
    lead: 'Ihre Dateien sind, wo Sie sie gelassen haben.',
    paused: 'Uploads sind pausiert: Melden Sie sich an, um fortzufahren.',
    remember: 'Auf diesem Gerät angemeldet bleiben',
    submit: 'Anmelden',
    disabled: 'Dieses Konto ist deaktiviert. Fragen Sie einen Admin.',
    wrong: 'E-Mail oder Passwort stimmt nicht.',
    dropped: (isHttp) =>
      `Ihr Browser hat die Anmeldung nicht behalten. ${isHttp ? 'Öffnen Sie die https-Adresse dieses Servers' : 'Erlauben Sie hier Cookies'}, und versuchen Sie es erneut.`,
    lost: 'Passwort vergessen?',
    lostMember:
      'Fragen Sie einen Admin dieses Servers. Auf der Seite „Benutzer“ kann er Ihnen ein neues geben.',
    lostAdmin:
      'Sie sind der einzige Admin? Beenden Sie den Server, und führen Sie auf seinem Rechner aus, mit den Quellen:',
    lostBinary: 'Oder mit dem Programm:',
  },

  addressNotice: {
    title: 'Dieser Server ist nicht für diese Adresse eingerichtet',
    text: (origin) =>
      `Er lehnt Änderungen von ${origin} ab. Setzen Sie diese Zeile in seiner Umgebung, und starten Sie ihn neu:`,
    line: 'Zeile zum Setzen',
    elsewhere: 'Ist BASE_URL schon gesetzt, öffnen Sie das Dashboard an dieser Adresse.',
  },

  notFound: {
    title: 'Nicht gefunden',
    lead: 'Diese Seite gibt es nicht',
    text: 'Vielleicht wurde sie verschoben, oder Sie haben keinen Zugriff.',
    home: 'Zur Startseite',
    folder: 'Ordner nicht gefunden',
    files: 'Zu Ihren Dateien',
  },

  errors: {
    title: 'Etwas ist schiefgegangen',
    chunk:
      'Diese Seite konnte nicht geladen werden. Versuchen Sie es erneut, oder laden Sie neu, falls Holdfast aktualisiert wurde.',
    commonPassword: 'Das ist ein sehr häufiges Passwort. Wählen Sie ein anderes.',
    copy: 'Ihr Browser hat das Kopieren nicht erlaubt. Markieren Sie den Text, und kopieren Sie ihn selbst.',
    disk: (code) => `Die Festplatte des Servers hat das abgelehnt (${code}). Fragen Sie einen Admin.`,
    forbidden: 'Ihr Konto hat kein Recht dazu. Fragen Sie einen Admin.',
    full: 'Die Festplatte des Servers ist voll. Fragen Sie einen Admin.',
    origin: (origin) =>
      `Dieser Server ist nicht für ${origin} eingerichtet. Setzen Sie BASE_URL=${origin}, und starten Sie ihn neu.`,
    names: {
      taken: (name) => `„${name}“ gibt es in diesem Ordner schon.`,
      signs: 'Ein Name darf weder „/“ noch „\\“ noch Zeilenumbrüche enthalten.',
      dots: 'Ein Name darf nicht „.“ oder „..“ sein.',
      long: 'Dieser Name ist zu lang.',
    },
    signedOut: 'Ihre Sitzung ist beendet. Melden Sie sich wieder an.',
    manyFavorites: (most) => `Sie haben schon ${most} Favoriten. Entfernen Sie zuerst einige.`,
    gone: 'Das gibt es nicht mehr.',
    tooLarge: (most) => `Die Datei ist größer als das Maximum von ${most}.`,
    tooMany: (seconds) =>
      `Das waren zu viele Anfragen in einer Minute. Warten Sie ${secondsOf(seconds)}, und versuchen Sie es erneut.`,
    offline: 'Der Server ist nicht erreichbar. Die Verbindung wird automatisch wiederhergestellt…',
    tooManyTitle: 'Zu viele Anfragen',
    tooManyRetry: (seconds) =>
      `Der Server begrenzt Anfragen pro Minute. Noch ${secondsOf(seconds)}, dann lädt diese Seite neu.`,
    unexpected: 'Auf dem Server ist etwas schiefgegangen. Geschieht es wieder, sehen Sie in sein Protokoll.',
    unreachable: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.',
  },

  kinds: {
    all: 'Alle Typen',
    image: 'Bilder',
    video: 'Videos',
    audio: 'Audio',
    document: 'Dokumente',
    archive: 'Archive',
    code: 'Code und Daten',
    other: 'Andere',
  },

  files: {
    root: 'Dateien',
    yours: 'Ihre Ordner',
    notLetIn: 'Noch keine Ordner',
    askToBeLetIn: (admin = 'einen Admin dieses Servers') =>
      `Bitten Sie ${admin}, Sie in einen Ordner hineinzulassen.`,
    noneToShare: 'Nicht alle davon dürfen Sie teilen',
    folder: 'Ordner',
    actions: 'Aktionen',
    actionsOf: (name) => `Aktionen für ${name}`,
    breadcrumb: 'Übergeordnete Ordner',
    clearSelection: 'Auswahl aufheben',
    columns: { name: 'Name', size: 'Größe', updatedAt: 'Geändert', visibility: 'Sichtbarkeit' },
    contents: 'Dateien und Ordner',
    copyLink: 'Link kopieren',
    create: 'Ordner anlegen',
    curlLabel: 'Befehl, der eine Datei hochlädt',
    delete: 'Löschen',
    deleted: (what) => `${what} endgültig gelöscht`,
    deleteForGood: 'Endgültig löschen',
    deleting: (what) => `Wird endgültig gelöscht: ${what}`,
    details: 'Details',
    download: 'Herunterladen',
    downloadFailed: 'Der Download hat nicht begonnen. Versuchen Sie es erneut.',
    severalDownloads: (count) =>
      `${count} Downloads begonnen, einer für jeden Ordner. Ihr Browser fragt vielleicht, ob er mehrere erlauben soll.`,
    tooManyToDownload: (most, count) =>
      `Sie haben ${formatNumber(count)} Dateien ausgewählt, ein Archiv fasst aber höchstens ${formatNumber(most)}. Wählen Sie weniger, oder alles im Ordner.`,
    dropHere: 'Ziehen Sie Dateien oder Ordner irgendwo in dieses Fenster, oder wählen Sie sie aus.',
    empty: 'Hier ist noch nichts',
    emptyFolder: 'Dieser Ordner ist leer',
    first: 'Laden Sie Ihre erste Datei hoch',
    grid: 'Raster',
    kind: 'Typ',
    layout: 'Ansicht',
    linkCopied: 'Link kopiert',
    list: 'Liste',
    loadRest: 'Den Rest laden',
    loadingMore: (shown) => `Bisher ${shown}, weitere folgen…`,
    makePrivate: 'Privat machen',
    makePublic: 'Öffentlich machen',
    move: 'Verschieben',
    moving: (what) => `Wird verschoben: ${what}`,
    moved: (what, where) => `${what} verschoben nach ${where || 'Dateien'}`,
    new: 'Neu',
    newFolder: 'Neuer Ordner',
    newName: (name) => `Neuer Name von ${name}`,
    noMatch: 'In diesem Ordner passt nichts dazu',
    order: 'Reihenfolge',
    orders: {
      'name-ASC': 'Name, A bis Z',
      'name-DESC': 'Name, Z bis A',
      'updatedAt-DESC': 'Neueste zuerst',
      'updatedAt-ASC': 'Älteste zuerst',
      'size-DESC': 'Größte zuerst',
      'size-ASC': 'Kleinste zuerst',
    },
    makeKey: 'Schlüssel erstellen',
    orCurl: 'Oder im Terminal, mit einem API-Schlüssel in $KEY.',
    pdfPage: (number, count) => `Seite ${number} von ${count}`,
    preview: 'Öffnen',
    privateLinkCopied: 'Link kopiert. Die Datei ist privat, daher öffnet er sich nur für Benutzer.',
    quoted: (name) => `„${name}“`,
    rename: 'Umbenennen',
    replace: 'Ersetzen',
    requestFiles: 'Dateien anfordern',
    search: 'Diesen Ordner durchsuchen',
    select: (name) => `${name} auswählen`,
    selectAll: 'Alle auswählen',
    selected: (what) => `${what} ausgewählt`,
    selection: 'Auswahl',
    share: 'Teilen',
    notDeleted: (what, reason) => `Löschen nicht möglich (${what}): ${reason}`,
    settingVisibility: (what, visibility) => `Wird ${visibility} gemacht: ${what}`,
    someNotMoved: (what, reason) => `Verschieben nicht möglich (${what}): ${reason}`,
    upload: 'Hochladen',
    uploadFolder: 'Ordner hochladen',
    visibilityFailed: (what, reason) => `Ändern nicht möglich (${what}): ${reason}`,
    visibilitySet: (what, visibility) => `${what} jetzt ${visibility}`,
  },

  bulk: {
    canceled: (done, left) => {
      const others =
        left === 1
          ? 'das andere Element bleibt, wie es war'
          : `die anderen ${formatNumber(left)} Elemente bleiben, wie sie waren`
      return done === '' ? 'Abgebrochen. Es hat sich nichts geändert.' : `${done}. Abgebrochen: ${others}.`
    },
    ending: (progress) => (progress === '' ? 'Wird beendet…' : `${progress} · Wird beendet…`),
    progress: (done, total) => `${formatNumber(done)} von ${formatNumber(total)}`,
    waiting: (seconds) =>
      `Der Server begrenzt Anfragen pro Minute. Noch ${secondsOf(seconds)}, dann geht es weiter.`,
  },
}
