import { formatNumber } from '../../language.ts'
import type { siteTexts as English } from '../site.ts'

export const siteTexts: typeof English = {
  title: (folder) => `Site web de « ${folder} »`,
  lead: 'Les fichiers publics de ce dossier, sous forme de site web à sa propre adresse.',
  create: 'Créer le site web',
  created: 'Site web créé',
  save: 'Enregistrer',
  saved: 'Site web enregistré',

  address: 'Adresse',
  open: 'Ouvrir le site web',
  link: 'Lien sans mot de passe',
  linkText: (end) => `Ouvre le site web sans mot de passe jusqu’au ${end}.`,
  ends: (end) => `Cet aperçu se termine le ${end}. Son dossier va alors dans la corbeille.`,

  name: 'Nom',
  nameHint: (address) => `L’adresse sera ${address}`,
  nameTitle: 'Utilisez 1 à 63 caractères : a à z, 0 à 9 et des traits d’union isolés au milieu.',
  domains: 'Vos propres domaines',
  domainsHint: 'Par exemple www.example.org. Séparez-en plusieurs par des espaces.',
  password: 'Mot de passe des visiteurs',
  askPassword: 'Demander un mot de passe aux visiteurs',
  keepPassword: 'Laissez vide pour garder le mot de passe actuel.',
  spa: 'Afficher la page d’accueil si une page n’existe pas',

  ownDomains: 'Domaines',
  isReached: 'Des visiteurs arrivent ici',
  isAwaited: 'Aucun visiteur n’est arrivé depuis le démarrage du serveur',
  dns: 'Enregistrement DNS',
  dnsText:
    'Un nom qui ne peut pas être un CNAME a besoin d’enregistrements A et AAAA avec les adresses de ce serveur.',
  proxy: 'Caddy',
  proxyText:
    'Seulement si Caddy est devant ce serveur : remplacez l’adresse après « reverse_proxy » par celle du serveur.',

  problems: 'Lignes sans effet',
  problem: (file, line, message) =>
    line === 0 ? `${file} : ${message}` : `${file}, ligne ${formatNumber(line)} : ${message}`,

  versions: 'Versions antérieures',
  replaced: (when) => `Remplacée : ${when}`,
  goBack: 'Revenir',
  goBackTo: (when) => `Revenir à la version remplacée : ${when}`,
  goBackTitle: 'Revenir à cette version ?',
  goBackText: 'Les visiteurs la voient aussitôt. La version actuelle va dans la corbeille.',
  wentBack: 'La version antérieure est de retour',

  previews: 'Aperçus',
  until: (end) => `Jusqu’au ${end}`,

  misses: 'Pages introuvables',
  missesText:
    'Des visiteurs les ont demandées ces sept derniers jours. Les règles d’un fichier nommé _redirects peuvent les mener ailleurs.',
  times: (count) => `${formatNumber(count)}×`,
  all: (count) => `Afficher les ${formatNumber(count)}`,

  remove: 'Retirer le site web',
  removeTitle: (name) => `Retirer le site web « ${name} » ?`,
  removeText: 'Son adresse cesse aussitôt de fonctionner. Les fichiers restent où ils sont.',
  removed: 'Site web retiré',
}
