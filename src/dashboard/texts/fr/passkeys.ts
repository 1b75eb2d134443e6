import type { passkeyTexts as English } from '../passkeys.ts'

export const passkeyTexts: typeof English = {
  signIn: 'Se connecter avec une clé d’accès',
  errors: {
    'passkey-not-found':
      'Cette clé d’accès est inconnue ici. Connectez-vous autrement, puis ajoutez-en une nouvelle sous « Compte ».',
    'authentication-failed': 'La clé d’accès n’a pas été acceptée. Réessayez, ou connectez-vous autrement.',
    'challenge-not-found':
      'Cela a pris trop de temps, ou vous vous êtes connecté dans un autre onglet. Réessayez.',
    'failed-to-verify-registration': 'La nouvelle clé d’accès n’a pas pu être vérifiée. Réessayez.',
    'passkeys-unavailable': 'Ce serveur n’est pas configuré pour les clés d’accès.',
    'previously-registered': 'Cette clé d’accès a déjà été ajoutée.',
  },
  title: 'Clés d’accès',
  lead: 'Connectez-vous avec votre empreinte, votre visage ou le verrouillage de l’écran plutôt qu’avec un mot de passe.',
  none: 'Vous n’avez encore aucune clé d’accès.',
  add: 'Ajouter une clé d’accès',
  added: 'Clé d’accès ajoutée',
  addedAt: (when) => `Ajoutée ${when}`,
  usedAt: (when) => `dernière utilisation ${when}`,
  actionsOf: (name) => `Actions pour ${name}`,
  rename: 'Renommer',
  renameTitle: (name) => `Renommer « ${name} »`,
  name: 'Nom',
  save: 'Enregistrer',
  delete: 'Supprimer',
  deleteTitle: (name) => `Supprimer « ${name} » ?`,
  deleteText:
    'Vous ne pourrez plus vous connecter avec elle. Retirez-la aussi de votre appareil, si cela ne se fait pas tout seul.',
  deleteLast:
    'Votre mot de passe suffit alors pour vous connecter, et vos codes de récupération ne fonctionnent plus.',
  deleted: (name) => `« ${name} » supprimée`,
  askAfter: 'La demander aussi après le mot de passe',
  askAfterHint: 'Un mot de passe volé ne suffit alors plus.',
  withCodes: 'Après votre mot de passe, vous pouvez utiliser une clé d’accès au lieu d’un code.',
  whyNot: {
    server:
      'Les clés d’accès exigent https et un nom. L’adresse de ce serveur (BASE_URL) doit commencer par https:// et ne peut pas être une adresse IP.',
    http: 'Les navigateurs n’offrent les clés d’accès qu’en https. Ouvrez l’adresse https de ce serveur.',
    address: 'Les navigateurs n’offrent pas de clés d’accès à une adresse IP. Ouvrez ce serveur par son nom.',
    browser: 'Ce navigateur est trop ancien pour les clés d’accès.',
  },
  step: 'Utiliser une clé d’accès',
  stepTitle: 'Utilisez votre clé d’accès',
  stepLead: 'Confirmez votre identité avec votre empreinte, votre visage ou le verrouillage de l’écran.',
  refused: 'Votre navigateur n’a pas pu utiliser de clé d’accès ici. Réessayez, ou connectez-vous autrement.',
}
