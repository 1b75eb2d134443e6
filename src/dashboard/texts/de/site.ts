import { formatNumber } from '../../language.ts'
import type { siteTexts as English } from '../site.ts'

export const siteTexts: typeof English = {
  title: (folder) => `Website von „${folder}“`,
  lead: 'Die öffentlichen Dateien dieses Ordners als Website unter eigener Adresse.',
  create: 'Website erstellen',
  created: 'Website erstellt',
  save: 'Speichern',
  saved: 'Website gespeichert',

  address: 'Adresse',
  open: 'Website öffnen',
  link: 'Link ohne Passwort',
  linkText: (end) => `Öffnet die Website ohne Passwort bis ${end}.`,
  ends: (end) => `Diese Vorschau endet am ${end}. Ihr Ordner kommt dann in den Papierkorb.`,

  name: 'Name',
  nameHint: (address) => `Die Adresse wird ${address}`,
  nameTitle: 'Verwenden Sie 1 bis 63 Zeichen aus a bis z, 0 bis 9 und einzelne Bindestriche dazwischen.',
  domains: 'Eigene Domains',
  domainsHint: 'Etwa www.example.org. Mehrere durch Leerzeichen trennen.',
  password: 'Passwort für Besucher',
  askPassword: 'Besucher nach einem Passwort fragen',
  keepPassword: 'Leer lassen, um das jetzige Passwort zu behalten.',
  spa: 'Startseite zeigen, wenn eine Seite fehlt',

  ownDomains: 'Domains',
  isReached: 'Besucher kommen hier an',
  isAwaited: 'Seit dem Start des Servers kam noch kein Besucher an',
  dns: 'DNS-Eintrag',
  dnsText:
    'Ein Name, der kein CNAME sein kann, braucht A- und AAAA-Einträge mit den Adressen dieses Servers.',
  proxy: 'Caddy',
  proxyText:
    'Nur wenn Caddy vor diesem Server steht: Ersetzen Sie die Adresse hinter „reverse_proxy“ durch die des Servers.',

  problems: 'Zeilen ohne Wirkung',
  problem: (file, line, message) =>
    line === 0 ? `${file}: ${message}` : `${file}, Zeile ${formatNumber(line)}: ${message}`,

  versions: 'Frühere Versionen',
  replaced: (when) => `Ersetzt: ${when}`,
  goBack: 'Zurück',
  goBackTo: (when) => `Zurück zu der Version, die ersetzt wurde: ${when}`,
  goBackTitle: 'Zu dieser Version zurückkehren?',
  goBackText: 'Besucher sehen sie sofort. Die jetzige Version kommt in den Papierkorb.',
  wentBack: 'Die frühere Version ist zurück',

  previews: 'Vorschauen',
  until: (end) => `Bis ${end}`,

  misses: 'Nicht gefundene Seiten',
  missesText:
    'Danach haben Besucher in den letzten sieben Tagen gesucht. Regeln in einer Datei namens _redirects leiten sie weiter.',
  times: (count) => `${formatNumber(count)}×`,
  all: (count) => `Alle ${formatNumber(count)} anzeigen`,

  remove: 'Website entfernen',
  removeTitle: (name) => `Website „${name}“ entfernen?`,
  removeText: 'Ihre Adresse funktioniert sofort nicht mehr. Die Dateien bleiben, wo sie sind.',
  removed: 'Website entfernt',
}
