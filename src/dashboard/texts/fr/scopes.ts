import type * as English from '../scopes.ts'

export const keyScopeTexts: typeof English.keyScopeTexts = {
  'files:read': {
    label: 'Lire les fichiers',
    can: 'lire',
    short: 'Lire',
    hint: 'Lister, rechercher et télécharger des fichiers, et les partager là où les réglages le permettent.',
  },
  'files:write': {
    label: 'Écrire les fichiers',
    can: 'écrire',
    short: 'Écrire',
    hint: 'Importer, renommer, déplacer, et rendre public ou privé.',
  },
  'files:delete': {
    label: 'Supprimer les fichiers',
    can: 'supprimer',
    short: 'Supprimer',
    hint: 'Mettre des fichiers et des dossiers à la corbeille, et les supprimer définitivement.',
  },
}

export const scopeTexts: typeof English.scopeTexts = {
  ...keyScopeTexts,
  'api-keys:manage': {
    label: 'Clés API',
    can: 'les clés API',
    short: 'Clés',
    hint: 'Créer des clés, et laisser des applications s’en servir.',
  },
  'settings:manage': {
    label: 'Réglages',
    can: 'les réglages',
    short: 'Réglages',
    hint: 'Changer les limites et la visibilité des fichiers pour tous.',
  },
  'users:manage': {
    label: 'Utilisateurs',
    can: 'les utilisateurs',
    short: 'Utilisateurs',
    hint: 'Ajouter, modifier et supprimer des comptes.',
  },
}

export const roleTexts: typeof English.roleTexts = {
  admin: {
    label: 'Administrateur',
    hint: 'Peut tout faire, y compris gérer les utilisateurs et les réglages.',
  },
  editor: {
    label: 'Éditeur',
    hint: 'Peut lire, écrire et supprimer des fichiers, et gérer ses propres clés API.',
  },
  viewer: { label: 'Lecteur', hint: 'Peut voir et télécharger des fichiers.' },
  custom: { label: 'Personnalisé', hint: 'Choisir les autorisations.' },
}

export const scopeListTexts: typeof English.scopeListTexts = {
  say: (files, managed) =>
    [files && `${files} des fichiers`, managed && `gérer ${managed}`].filter(Boolean).join(' et '),
}
