import type { accountTexts as English } from '../account.ts'

export const accountTexts: typeof English = {
  profile: 'Profil',
  profileText: 'Ihr Name, wie andere ihn sehen, und die E-Mail-Adresse, mit der Sie sich anmelden.',
  save: 'Speichern',
  saved: 'Gespeichert',
  role: 'Rolle',
  may: (what) => `Sie können ${what}.`,
  mayNothing: 'Sie haben noch keine Rechte. Wenden Sie sich an einen Admin.',

  password: 'Passwort',
  passwordText: 'Verwenden Sie ein langes Passwort, das Sie sonst nirgends nutzen.',
  current: 'Aktuelles Passwort',
  new: 'Neues Passwort',
  signOutOthers: 'Meine anderen Geräte abmelden',
  change: 'Passwort ändern',
  changed: 'Passwort geändert',
  noPassword:
    'Sie melden sich ohne Passwort an. Legen Sie eines fest, um sich hier auch mit Ihrer E-Mail-Adresse anzumelden.',
  setPassword: 'Passwort festlegen',
  passwordSet: 'Passwort festgelegt',
  mayNoPassword: 'Sie melden sich ohne Passwort an. Dieser Server erlaubt Ihrem Konto keines.',
  passwordUnused:
    'Dieser Server lässt Ihr Konto nicht mit seinem Passwort anmelden. Sie brauchen es also nicht zu ändern.',
  wrongPassword: 'Das aktuelle Passwort stimmt nicht.',

  storage: 'Speicherplatz',
  storageText: 'Ihre Dateien und deren frühere Versionen, auch die im Papierkorb.',
  used: (size) => `${size} belegt`,
  usedOf: (size, quota) => `${size} von ${quota} belegt`,
  storageFull:
    'Ihr Speicherplatz ist voll. Löschen Sie Dateien endgültig, oder bitten Sie einen Admin um mehr.',

  devices: 'Geräte',
  devicesText:
    'Hier sind Sie angemeldet. Ein Gerät kommt Ihnen unbekannt vor? Melden Sie es ab, und ändern Sie Ihr Passwort.',
  thisDevice: 'Dieses Gerät',
  signedIn: (when) => `Angemeldet ${when}`,
  signOut: 'Abmelden',
  signOutOf: (device, address) => `${device}, ${address} abmelden`,
  signedOut: (device) => `${device} ist abgemeldet`,
  signOutAll: 'Alle anderen abmelden',
  signOutAllTitle: 'Alle anderen Geräte abmelden?',
  signOutAllText: 'Sie müssen sich dort neu anmelden. Dieses Gerät bleibt angemeldet.',
  othersSignedOut: 'Alle anderen Geräte sind abgemeldet',
  unknownDevice: 'Unbekanntes Gerät',
  onSystem: (browser, system) => `${browser} unter ${system}`,

  language: 'Sprache',
  languageText: 'Für das Dashboard, wo immer Sie sich anmelden.',
  languageOfBrowser: 'Wie der Browser',

  appearance: 'Darstellung',
  appearanceText: 'Gilt für diesen Browser.',
  density: 'Zeilen der Dateien',
  densities: { comfortable: 'Bequem', compact: 'Kompakt' },
}
