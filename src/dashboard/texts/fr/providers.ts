import type { providerTexts as English } from '../providers.ts'

export const providerTexts: typeof English = {
  failures: {
    state_mismatch: () =>
      'La connexion a pris trop de temps, ou a commencé dans un autre navigateur. Réessayez.',
    access_denied: (name) => `${name} n’a pas confirmé la connexion, ou vous l’avez annulée. Réessayez.`,
    invalid_code: (name) =>
      `La réponse de ${name} n’a pas pu être vérifiée. Réessayez. Si cela ne suffit pas, dites-le à un administrateur : la raison est dans le journal du serveur.`,
    email_missing: (name) =>
      `${name} n’a pas transmis d’adresse e-mail. Ajoutez-en une à votre compte là-bas et réessayez.`,
    email_not_verified: (name) =>
      `${name} ne confirme pas que votre adresse e-mail est la vôtre. Si vous avez un compte ici, connectez-vous avec votre mot de passe et associez ${name} sous « Compte ». Sinon, demandez à un administrateur.`,
    account_not_linked: (name) =>
      `Votre compte ici n’est pas encore associé à ${name}. Connectez-vous avec votre mot de passe, puis associez-le sous « Compte ».`,
    account_already_linked: (name) =>
      `L’un des deux comptes est déjà associé à un autre. Dissociez-le d’abord, ou utilisez un autre compte chez ${name}.`,
    signup_disabled: () => 'Vous n’avez pas encore de compte ici. Demandez-en un à un administrateur.',
    not_in_group: (name) =>
      `Vos groupes chez ${name} ne vous donnent pas accès. Demandez à un administrateur.`,
    account_disabled: () => 'Ce compte est désactivé. Demandez à un administrateur.',
    provider_unavailable: (name) =>
      `${name} est injoignable. Réessayez bientôt, ou connectez-vous autrement.`,
  },
  or: 'ou',
  forwarded: 'Continuer avec la connexion au proxy',
  with: (name) => `Se connecter avec ${name}`,
  signOutToo: (name) => `Se déconnecter aussi de ${name}`,
  provider: 'le fournisseur',

  link: {
    title: 'Authentification unique',
    lead: 'Des comptes d’ailleurs qui vous connectent ici.',
    is: (name) => `${name} vous connecte à ce compte.`,
    isNot: (name) => `${name} n’est pas associé à ce compte.`,
    link: (name) => `Associer ${name}`,
    unlink: (name) => `Dissocier ${name}`,
    unlinked: (name) => `${name} ne vous connecte plus`,
    linked: (name) =>
      `Votre compte a été associé à ${name}, car les deux ont la même adresse e-mail. Vous pouvez le dissocier sous « Compte ».`,
  },

  settings: {
    title: 'Authentification unique',
    lead: 'Définie par les variables qui commencent par OIDC_.',
    redirect: 'Adresse de redirection, pour le client chez le fournisseur',
    issuer: 'Émetteur',
    try: 'Tester',
    works: (name) => `Holdfast a joint ${name}. Ses métadonnées sont conformes.`,
    guide: 'Comment la configurer',
  },

  linkPage: {
    title: 'Se connecter avec un lien',
    lead: 'Un opérateur de ce serveur a créé ce lien pour vous. Il fonctionne une fois.',
    submit: 'Se connecter',
    other: 'Se connecter autrement',
  },
}
