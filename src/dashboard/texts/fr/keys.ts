import type { keyTexts as English } from '../keys.ts'

export const keyTexts: typeof English = {
  title: 'Clés API',
  lead: 'Donnez à des applications et à des scripts l’accès à vos fichiers, avec les autorisations que vous choisissez.',
  apiDocs: 'Lire la référence de l’API',
  list: 'Clés API',
  new: 'Nouvelle clé',
  columns: {
    name: 'Clé',
    folder: 'Dossier',
    scopes: 'Autorisations',
    used: 'Dernière utilisation',
    requests: 'Requêtes, 7 jours',
    expires: 'Expire',
  },
  everywhere: 'Tout le compte',
  folderGone: 'Dossier disparu',
  made: (when) => `Créée ${when}`,
  neverUsed: 'Jamais',
  never: 'Jamais',
  expired: (ago) => `Expirée ${ago}`,
  notInForce: 'Non permis par votre rôle actuel',
  actionsOf: (name) => `Actions pour ${name}`,
  actions: 'Actions',
  settings: 'Réglages pour les programmes',
  settingsTitle: (name) => `Réglages pour « ${name} »`,
  settingsText: 'Mettez la clé à la place de <clé API> : elle n’a été affichée qu’à sa création.',
  blank: '<clé API>',
  s3Blank: '<clé d’accès secrète>',
  showS3: 'Afficher la clé d’accès secrète',
  sharexBlank:
    'Mettez la clé dans ce texte et enregistrez-le dans un fichier en .sxcu. ShareX l’ouvre sous Windows.',
  rename: 'Renommer',
  renameTitle: (name) => `Renommer « ${name} »`,
  save: 'Enregistrer',
  delete: 'Supprimer',
  deleteTitle: (name) => `Supprimer « ${name} » ?`,
  deleteText:
    'Les applications qui utilisent cette clé perdent aussitôt l’accès. Cette action est irréversible.',
  deleted: (name) => `« ${name} » supprimée`,
  empty: 'Aucune clé pour l’instant',
  emptyText:
    'Créez-en une pour un script, un outil de capture d’écran ou un autre serveur. Vous choisissez ses autorisations et sa date d’expiration.',
  noScopes: 'Votre compte n’a aucune autorisation sur les fichiers, une clé n’en aurait donc pas non plus.',

  createTitle: 'Nouvelle clé API',
  name: 'Nom',
  nameHint: 'L’application qui l’utilise, par exemple « sauvegarde du portable ».',
  may: 'Autorisations',
  chooseScope: 'Choisissez au moins une autorisation.',
  reach: 'Accès',
  reaches: {
    all: { label: 'Tout le compte', hint: 'Tout ce que vous pouvez ouvrir.' },
    one: {
      label: 'Un seul dossier',
      hint: 'Le dossier et tout son contenu. La clé ne voit rien d’autre.',
    },
  },
  chooseFolder: 'Choisissez un dossier.',
  changeFolder: 'Changer',
  worksForever: 'Elle fonctionne jusqu’à ce que vous la supprimiez.',
  create: 'Créer la clé',

  madeTitle: 'Copiez votre clé maintenant',
  madeText: 'Vous ne pourrez plus l’afficher.',
  secret: 'Clé API',
  use: 'L’utiliser depuis',
  ways: { curl: 'Terminal', sharex: 'ShareX', webdav: 'WebDAV', s3: 'S3', javascript: 'JavaScript' },
  snippet: (way) => `Exemple pour ${way}`,
  sharexText:
    'Téléchargez ce fichier sous Windows et ouvrez-le : ShareX envoie alors ici captures, textes et fichiers, et copie leurs liens.',
  sharexFile: 'Télécharger pour ShareX',
  webdavText:
    'Le Finder, l’Explorateur, Nautilus et d’autres programmes ouvrent vos fichiers comme un dossier réseau.',
  s3Text:
    'Les outils de sauvegarde et les autres programmes S3 voient vos dossiers racine comme des buckets.',
}
