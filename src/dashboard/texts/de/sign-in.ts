import type { signInTexts as English } from '../sign-in.ts'

export const signInTexts: typeof English = {
  code: 'Code',
  codeTitle: 'Code eingeben',
  codeLead:
    'Öffnen Sie Ihre Authenticator-App, und geben Sie die sechs Ziffern ein, die sie für diesen Server anzeigt.',
  codeHint: 'Sechs Ziffern.',
  recovery: 'Wiederherstellungscode',
  recoveryTitle: 'Wiederherstellungscode verwenden',
  recoveryLead:
    'Geben Sie einen der Codes ein, die Sie beim Einrichten aufbewahrt haben. Jeder funktioniert einmal.',
  recoveryHint: 'Zwölf Buchstaben, mit oder ohne Bindestriche.',
  trust: 'Diesem Browser 30 Tage lang vertrauen',
  submit: 'Anmelden',
  useRecovery: 'Wiederherstellungscode verwenden',
  useCode: 'Code aus der App verwenden',
  again: 'Mit anderem Konto anmelden',
  noneLeft:
    'Kein Telefon und keine Wiederherstellungscodes? Bitten Sie einen Admin, Ihre Anmeldung in zwei Schritten zurückzusetzen.',
  wrongCode: 'Dieser Code ist falsch oder wurde schon benutzt. Versuchen Sie den nächsten.',
  wrongRecovery: 'Dieser Wiederherstellungscode ist falsch oder wurde schon benutzt.',
  minute: { one: 'Minute', other: 'Minuten' },
  locked: (wait) => `Zu viele falsche Codes. Warten Sie noch ${wait}.`,

  title: 'Anmeldung in zwei Schritten',
  lead: 'Nach dem Passwort fragt Holdfast nach einem Code von Ihrem Telefon. Ein gestohlenes Passwort genügt dann nicht.',
  required:
    'Dieser Server verlangt die Anmeldung in zwei Schritten. Richten Sie sie ein, oder fügen Sie einen Passkey hinzu.',
  isOff: 'Ihr Passwort allein genügt zur Anmeldung.',
  isIdle: 'Sie melden sich ohne Passwort an, daher wird danach nichts gefragt.',
  isOn: 'Ein',
  isOnText: 'Zur Anmeldung brauchen Sie Ihr Passwort und einen Code aus der Authenticator-App.',
  isOnWithout: 'Zur Anmeldung brauchen Sie Ihr Passwort und einen zweiten Schritt.',
  unreadable:
    'Für dieses Konto funktioniert keine Authenticator-App. Fügen Sie eine hinzu, oder verwenden Sie weiter Wiederherstellungscodes.',
  left: (codes) => `Noch ${codes}.`,
  recoveryCode: { one: 'Wiederherstellungscode', other: 'Wiederherstellungscodes' },
  trusts: (browsers) => `${browsers} überspringen den zweiten Schritt.`,
  trustsOne: '1 Browser überspringt den zweiten Schritt.',
  browsers: (count) => `${count} Browser`,
  setUp: 'Anmeldung in zwei Schritten einrichten',
  turnOn: 'Einschalten',
  turnedOn: 'Anmeldung in zwei Schritten ist eingeschaltet',
  turnOff: 'Ausschalten',
  turnOffTitle: 'Anmeldung in zwei Schritten ausschalten?',
  turnOffText:
    'Dann genügt Ihr Passwort zur Anmeldung. Ihre Wiederherstellungscodes funktionieren nicht mehr.',
  turnedOff: 'Anmeldung in zwei Schritten ist ausgeschaltet',
  passkeysStay: 'Mit Ihren Passkeys allein können Sie sich weiterhin anmelden.',
  codesOff: 'Codes ausschalten',
  codesOffTitle: 'Codes ausschalten?',
  codesOffText:
    'Holdfast fragt dann nach dem Passwort nach einem Passkey. Ihre Wiederherstellungscodes funktionieren weiter.',
  codesAreOff: 'Codes sind ausgeschaltet',
  renew: 'Neue Wiederherstellungscodes',
  renewTitle: 'Neue Wiederherstellungscodes erstellen?',
  renewText: 'Die jetzigen funktionieren dann nicht mehr.',
  addApp: 'App hinzufügen',
  changeApp: 'App wechseln',
  changeTitle: 'Zu einer anderen App oder einem anderen Telefon wechseln?',
  changeText:
    'Die jetzige App und Ihre Wiederherstellungscodes funktionieren dann nicht mehr. Sie bekommen neue.',
  forget: 'Browsern nicht mehr vertrauen',
  forgotten: 'Alle Browser fragen wieder nach dem zweiten Schritt',

  setUpTitle: 'Anmeldung in zwei Schritten einrichten',
  setUpText:
    'Scannen Sie diesen Code mit einer Authenticator-App, etwa Aegis, 2FAS oder Ihrem Passwortmanager.',
  qr: 'QR-Code für eine Authenticator-App',
  secret: 'Oder tippen Sie diesen Schlüssel in die App',
  openApp: 'App auf diesem Gerät öffnen',
  first: 'Code aus der App',
  codesTitle: 'Bewahren Sie Ihre Wiederherstellungscodes auf',
  codesText:
    'Mit jedem können Sie sich einmal ohne Telefon anmelden. Drucken Sie sie aus, oder bewahren Sie sie bei Ihren Passwörtern auf: Sie sehen sie nicht wieder.',
  codesList: 'Wiederherstellungscodes',
  copyAll: 'Kopieren',
  download: 'Herunterladen',
  print: 'Drucken',
  fileName: 'holdfast-wiederherstellungscodes.txt',
  file: (address, codes) =>
    `Holdfast-Wiederherstellungscodes für ${address}\nJeder funktioniert einmal.\n\n${codes}\n`,

  confirmTitle: 'Bestätigen Sie, dass Sie es sind',
  confirmText: 'Ihre Anmeldung liegt länger zurück. Bestätigen Sie vor dieser Änderung, dass Sie es sind.',
  confirm: 'Bestätigen',
  password: 'Passwort',
  wrongPassword: 'Das Passwort stimmt nicht.',
  withPassword: 'Passwort verwenden',
  noProof:
    'Dieses Konto meldet sich ohne Passwort an. Melden Sie sich ab und wieder an, und wiederholen Sie dann die Änderung.',
}
