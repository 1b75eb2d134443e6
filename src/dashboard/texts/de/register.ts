import type { registerTexts as English } from '../register.ts'

export const registerTexts: typeof English = {
  title: 'Richten Sie sich ein',
  lead: 'Das Konto, das Sie jetzt erstellen, ist ein Admin. Weitere können Sie später hinzufügen.',
  submit: 'Admin-Konto erstellen',
  newFiles: 'Neue Dateien sind',
  newFilesAre: {
    private: 'Nur Personen mit einem Konto können sie öffnen. Einzelne Dateien lassen sich per Link teilen.',
    public:
      'Alle, die den Link einer Datei haben oder erraten, können sie öffnen. Gut für eine Website oder Downloads.',
  },
  newFilesLater: 'Das können Sie in den Einstellungen ändern, und für jede Datei.',
  newFilesFailed:
    'Ihr Konto ist bereit, aber neue Dateien sind noch öffentlich. Machen Sie sie in den Einstellungen privat, bevor Sie hochladen.',
  token: 'Setup-Token',
  tokenHint: 'Der Wert von SETUP_TOKEN, oder das Token, das der Server beim Start ausgegeben hat.',
}
