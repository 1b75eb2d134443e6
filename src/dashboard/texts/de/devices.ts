import type { deviceTexts as English } from '../devices.ts'

export const deviceTexts: typeof English = {
  title: 'Programm freischalten',
  lead: 'Geben Sie den Code ein, den das Programm anzeigt.',
  code: 'Code',
  next: 'Weiter',
  unknown:
    'Kein Programm wartet mit diesem Code. Prüfen Sie ihn, oder beginnen Sie neu: Ein Code gilt 10 Minuten.',
  asks: (name) => `${name} bittet um Zugriff`,
  compare: 'Stimmen Sie nur zu, wenn Sie es selbst gestartet haben und es diesen Code anzeigt:',
  able: (scopes, email) =>
    `Es bekommt einen API-Schlüssel von ${email} und kann damit ${scopes}. Sie können ihn jederzeit unter „API-Schlüssel“ löschen.`,
  from: (address) => `Die Anfrage kommt von ${address}.`,
  approve: 'Zustimmen',
  deny: 'Ablehnen',
  approved: (name) => `${name} ist angemeldet`,
  approvedText: 'Sie können diese Seite schließen.',
  denied: 'Abgelehnt',
  deniedText:
    'Das Programm bekommt keinen Zugriff. Falls Sie es nicht gestartet haben, wollte vielleicht jemand mit dem Link an Ihre Dateien gelangen.',
  home: 'Zu Holdfast',
}
