import type { userTexts as English } from '../users.ts'

export const userTexts: typeof English = {
  lead: 'Les personnes qui ont un compte ici, et leurs autorisations.',
  list: 'Utilisateurs',
  add: 'Ajouter un utilisateur',
  columns: {
    name: 'Utilisateur',
    role: 'Rôle',
    folders: 'Dossiers',
    storage: 'Stockage',
    keys: 'Clés API',
    added: 'Ajouté',
    seen: 'Vu',
  },
  you: 'Vous',
  disabled: 'Désactivé',
  neverSeen: 'Jamais',
  ofQuota: (quota) => `sur ${quota}`,
  full: 'Plein',
  actions: 'Actions',
  actionsOf: (name) => `Actions pour ${name}`,
  search: 'Rechercher des utilisateurs',
  noMatch: 'Aucun utilisateur correspondant',

  everything: 'Tout',
  noFolders: 'Aucun pour l’instant',
  reach: 'Accès',
  reaches: {
    all: { label: 'Tout', hint: 'Tous les fichiers et dossiers de ce serveur.' },
    some: {
      label: 'Certains dossiers',
      hint: 'Ces dossiers et tout leur contenu. Le compte ne voit rien d’autre.',
    },
  },
  addFolder: 'Ajouter un dossier',
  addThisFolder: 'Ajouter ce dossier',
  removeFolder: (name) => `Retirer ${name}`,
  inTrash: (name) => `${name} (à la corbeille)`,
  makeHome: 'Créer un dossier pour cette personne',
  homeOf: (name) => `people/${name}`,
  changeFolders: 'Changer les dossiers',
  foldersTitle: (name) => `Dossiers de ${name}`,
  foldersText: 'Prend effet aussitôt, y compris pour ses clés API et ses partages.',
  foldersChanged: (name) => `Dossiers de ${name} modifiés`,

  addTitle: 'Ajouter un utilisateur',
  role: 'Rôle',
  may: 'Autorisations',
  chooseScope: 'Choisissez au moins une autorisation.',
  password: 'Mot de passe',
  passwordHint: 'Au moins 8 caractères. Modifiable sous « Compte ».',
  generate: 'Générer',

  handOverTitle: (name) => `Transmettez ces identifiants à ${name}`,
  handOverText: 'Vous ne reverrez plus le mot de passe.',
  handOver: (address, email, password) => `${address}\nE-mail : ${email}\nMot de passe : ${password}`,
  handOverLabel: 'Identifiants',

  changeRole: 'Changer le rôle',
  changeRoleTitle: (name) => `Rôle de ${name}`,
  changeRoleText: 'Prend effet aussitôt, y compris pour ses clés API.',
  save: 'Enregistrer',
  roleChanged: (name, role) => `Nouveau rôle de ${name} : ${role}`,

  resetPassword: 'Réinitialiser le mot de passe',
  resetTitle: (name) => `Nouveau mot de passe pour ${name}`,
  resetText: 'La personne est déconnectée de tous ses appareils.',
  deleteKeys: 'Supprimer aussi ses clés API',
  endShares: 'Terminer aussi ses partages',
  keepLinked: 'Garder son association au fournisseur',
  reset: 'Définir le mot de passe',

  twoStep: 'Deux étapes',
  resetTwoStep: 'Réinitialiser les deux étapes',
  resetTwoStepTitle: (name) => `Réinitialiser la validation en deux étapes de ${name} ?`,
  resetTwoStepAction: 'Réinitialiser',
  resetTwoStepText:
    'Pour une personne qui a perdu son téléphone. Son mot de passe suffit alors, ses clés d’accès et codes de récupération ne fonctionnent plus, et elle est déconnectée partout.',
  twoStepReset: (name) => `${name} se connecte avec le mot de passe seul`,

  changeQuota: 'Limiter le stockage',
  quotaTitle: (name) => `Limite de stockage de ${name}`,
  quotaText:
    'Fichiers, versions précédentes et corbeille comptent pour le compte qui les a importés. Une limite plus basse ne supprime rien.',
  quota: 'Limite de stockage',
  quotaChoices: { none: 'Sans limite', limit: 'Limite' },
  quotaUsed: (used) => `${used} utilisés`,
  quotaChanged: (name, quota) =>
    quota === undefined ? `${name} n’a pas de limite de stockage` : `${name} peut stocker ${quota}`,

  disable: 'Désactiver',
  disableTitle: (name) => `Désactiver ${name} ?`,
  disableText:
    'La personne est déconnectée partout et ses clés API sont suspendues jusqu’à ce que vous réactiviez le compte.',
  disabledNow: (name) => `${name} est désactivé`,
  enable: 'Activer',
  enabledNow: (name) => `${name} peut de nouveau se connecter`,

  delete: 'Supprimer',
  deleteTitle: (name) => `Supprimer ${name} ?`,
  deleteText:
    'Le compte est supprimé avec ses sessions, clés API et historique. Ses fichiers restent. Cette action est irréversible.',
  deleted: (name) => `${name} supprimé`,
}
