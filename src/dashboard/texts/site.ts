import { formatNumber, inLanguage } from '../language.ts'

/** Texts of the websites of folders. */
export const siteTexts = inLanguage('siteTexts', {
  title: (folder: string) => `Website of “${folder}”`,
  lead: 'The public files of this folder, as a website at an address of its own.',
  create: 'Create website',
  created: 'Website created',
  save: 'Save',
  saved: 'Website saved',

  address: 'Address',
  open: 'Open website',
  link: 'Link without password',
  linkText: (end: string) => `Opens the website without the password until ${end}.`,
  ends: (end: string) => `This preview ends on ${end}. Its folder then goes to the trash.`,

  name: 'Name',
  nameHint: (address: string) => `The address will be ${address}`,
  nameTitle: 'Use 1 to 63 of a to z, 0 to 9, and single hyphens inside.',
  domains: 'Your own domains',
  domainsHint: 'Such as www.example.org. Separate several by spaces.',
  password: 'Password for visitors',
  askPassword: 'Ask visitors for a password',
  keepPassword: 'Leave empty to keep the current password.',
  spa: 'Show the start page for pages that don’t exist',

  ownDomains: 'Domains',
  isReached: 'Visitors arrive here',
  isAwaited: 'No visitor has arrived since the server started',
  dns: 'DNS record',
  dnsText: 'A name that can’t be a CNAME needs A and AAAA records with the addresses of this server.',
  proxy: 'Caddy',
  proxyText:
    'Only if Caddy stands in front of this server: change the address behind “reverse_proxy” to the server’s.',

  problems: 'Lines without effect',
  problem: (file: string, line: number, message: string) =>
    line === 0 ? `${file}: ${message}` : `${file}, line ${formatNumber(line)}: ${message}`,

  versions: 'Earlier versions',
  replaced: (when: string) => `Replaced ${when}`,
  goBack: 'Go back',
  goBackTo: (when: string) => `Go back to the version that was replaced ${when}`,
  goBackTitle: 'Go back to this version?',
  goBackText: 'Visitors see it immediately. The current version goes to the trash.',
  wentBack: 'The earlier version is back',

  previews: 'Previews',
  until: (end: string) => `Until ${end}`,

  misses: 'Pages not found',
  missesText:
    'Visitors asked for these in the last seven days. Rules in a file named _redirects can lead them on.',
  times: (count: number) => `${formatNumber(count)}×`,
  all: (count: number) => `Show all ${formatNumber(count)}`,

  remove: 'Remove website',
  removeTitle: (name: string) => `Remove the website “${name}”?`,
  removeText: 'Its address stops working immediately. The files stay where they are.',
  removed: 'Website removed',
})
