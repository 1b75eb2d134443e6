import type { settingsTexts as English } from '../settings.ts'

export const settingsTexts: typeof English = {
  applied: (what, visibility) => `${what} : désormais ${visibility}`,
  apply: {
    public: (what) => `Rendre publics ${what}`,
    private: (what) => `Rendre privés ${what}`,
  },
  applyText: {
    public: (what) =>
      `Deviendraient publics : ${what}. Toute personne qui a le lien d’un fichier, ou le devine, pourrait l’ouvrir.`,
    private: (what) =>
      `Deviendraient privés : ${what}. Leurs liens simples ne fonctionnent plus pour le public. Les liens temporaires continuent de fonctionner.`,
  },
  applyTitle: { public: 'Rendre tous les fichiers publics ?', private: 'Rendre tous les fichiers privés ?' },
  atLeast: (amount) => `Au minimum ${amount}.`,
  atMost: (amount) => `Au maximum ${amount}.`,
  changelog: 'Nouveautés',
  caching: {
    title: 'Cache',
    lead: 'Combien de temps navigateurs et proxys peuvent réutiliser les fichiers publics sans vérifier s’ils ont changé.',
  },
  counts: (open, closed) => `${open} publics, ${closed} privés`,
  cutsHistory: (days) =>
    `L’enregistrement supprime tout l’historique de plus de ${days}. Cette action est irréversible.`,
  cutsTrash: {
    older: (days) =>
      `Ce qui est à la corbeille depuis plus de ${days} est supprimé définitivement. Cette action est irréversible.`,
    all: 'La corbeille est vidée, et toute suppression devient définitive. Cette action est irréversible.',
  },
  cutsVersions: {
    older: (days) =>
      `Les versions remplacées depuis plus de ${days} sont supprimées définitivement. Cette action est irréversible.`,
    all: 'Toutes les versions précédentes sont supprimées définitivement. Cette action est irréversible.',
  },
  discard: 'Annuler',
  existingFiles: 'Fichiers existants',
  history: {
    title: 'Historique',
    lead: 'Combien de temps conserver l’historique. Les fichiers ne sont jamais touchés.',
  },
  leave: 'Quitter sans enregistrer',
  leaveText: 'Vos modifications ne sont pas encore enregistrées.',
  leaveTitle: 'Quitter sans enregistrer ?',
  limits: {
    maxUploadSize: {
      label: 'Taille maximale d’un fichier',
      hint: 'Les importations plus grosses sont refusées.',
    },
    defaultPresignTtl: { label: 'Durée par défaut', hint: 'Utilisée si aucune n’est choisie.' },
    maxPresignTtl: { label: 'Durée maximale', hint: 'Aucun lien ne dure plus longtemps.' },
    hostingCacheMaxAge: {
      label: 'Durée du cache',
      hint: '0 = toujours vérifier s’il y a une version plus récente.',
    },
    activityRetentionDays: { label: 'Activité', hint: 'Affichée sur la page d’activité de chaque compte.' },
    trashDays: { label: 'Corbeille', hint: '0 = pas de corbeille : toute suppression est définitive.' },
    versionDays: {
      label: 'Versions précédentes',
      hint: '0 = pas de versions : les fichiers remplacés disparaissent.',
    },
    apiRequestRetentionDays: {
      label: 'Requêtes des clés API',
      hint: 'Données des graphiques des clés API.',
    },
  },
  links: {
    title: 'Liens temporaires',
    lead: 'Toute personne ayant un lien temporaire peut ouvrir le fichier jusqu’à son expiration.',
  },
  longerThanLongest: 'C’est plus long que la durée maximale.',
  makeAll: { public: 'Rendre tous les fichiers publics', private: 'Rendre tous les fichiers privés' },
  newFiles: 'Nouveaux fichiers',
  newFilesAre: {
    public: 'Toute personne ayant le lien d’un fichier peut l’ouvrir, sauf s’il est importé en privé.',
    private:
      'Seules les personnes ayant un compte, un partage ou un lien temporaire peuvent ouvrir les nouveaux fichiers. On peut toujours importer en public.',
  },
  twoStep: {
    title: 'Validation en deux étapes',
    lead: 'Un code d’un téléphone après le mot de passe. Chacun peut l’activer sous « Compte ».',
  },
  mustTwoStep: 'Obligatoire pour',
  twoSteppers: { no: 'Personne', admins: 'Administrateurs', all: 'Tous' },
  twoStepHints: {
    no: 'Chacun décide pour soi.',
    admins:
      'Sans elle, les administrateurs ne peuvent ouvrir que leur page de compte jusqu’à ce qu’ils la configurent.',
    all: 'Sans elle, les comptes ne peuvent ouvrir que leur page de compte jusqu’à ce qu’ils la configurent. Les clés API continuent de fonctionner.',
  },
  sharing: {
    title: 'Partage',
    lead: 'Les partages sont des liens que l’on peut ouvrir sans compte.',
  },
  mayShare: 'Qui peut partager',
  sharers: { readers: 'Tous', writers: 'Éditeurs', nobody: 'Personne' },
  shareDays: (days) => `Durée par défaut d’un partage : ${days} (SHARE_DAYS).`,
  shareMaxDays: (days) => `Durée maximale d’un partage : ${days} (SHARE_MAX_DAYS).`,
  sharingHints: {
    readers: 'Toute personne qui peut voir des fichiers peut aussi les partager.',
    writers: 'Toute personne qui peut importer et modifier des fichiers peut aussi les partager.',
    nobody:
      'Personne ne peut créer de partage. Ceux qui existent restent ouverts jusqu’à ce qu’on y mette fin.',
  },
  notANumber: 'Ce doit être un nombre.',
  removed: {
    title: 'Corbeille et versions',
    lead: 'Combien de temps les fichiers supprimés et les versions précédentes peuvent être restaurés. Si l’espace disque manque, les plus anciens sont supprimés avant, les versions d’abord.',
  },
  save: 'Enregistrer',
  saved: 'Réglages enregistrés pour tous.',
  unsaved: 'Modifications non enregistrées',
  units: {
    second: { one: 'seconde', other: 'secondes' },
    minute: { one: 'minute', other: 'minutes' },
    hour: { one: 'heure', other: 'heures' },
    week: { one: 'semaine', other: 'semaines' },
    year: { one: 'an', other: 'ans' },
  },
  uploads: { title: 'Importations', lead: 'Limites de ce qui peut être importé.' },
  version: (version) => `Holdfast ${version}.`,
  visibility: { title: 'Visibilité', lead: 'Qui peut ouvrir les fichiers par leurs liens simples.' },
}
