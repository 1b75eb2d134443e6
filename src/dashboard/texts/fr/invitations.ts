import type { invitationTexts as English } from '../invitations.ts'

export const invitationTexts: typeof English = {
  title: (place) => `Rejoindre ${place}`,
  lead: (name, until) =>
    `${name} vous invite. Créez votre compte avant l’expiration de l’invitation, le ${until}.`,
  can: {
    admin:
      'Vous serez administrateur : vous pourrez tout faire, y compris gérer les utilisateurs et les réglages.',
    editor: 'Vous pourrez importer, modifier, partager et supprimer des fichiers.',
    viewer: 'Vous pourrez voir et télécharger des fichiers.',
  },
  folders: 'Vous aurez ces dossiers :',
  noFolders: 'Vous ne verrez aucun dossier tant qu’un administrateur ne vous en aura pas ouvert un.',
  canOf: (scopes) => `Vous pourrez ${scopes}.`,
  fixedEmail: 'L’invitation est pour cette adresse. Vous vous connecterez avec elle.',
  freeEmail: 'Vous vous connecterez avec elle.',
  accept: 'Créer un compte',
  haveAccount: 'J’ai déjà un compte',
  closedTitle: 'Cette invitation ne fonctionne pas',
  closedText:
    'Elle a peut-être expiré, déjà servi ou été révoquée. Demandez-en une nouvelle à la personne qui l’a envoyée.',
  signIn: 'Aller à la connexion',
  signedInTitle: 'Vous êtes déjà connecté',
  notNeeded: (email) =>
    `Cette invitation a servi ou n’est plus valable. Vous n’en avez pas besoin : ce navigateur est connecté en tant que ${email}.`,
  toFiles: 'Continuer vers Holdfast',
  signedInText: (email) =>
    `Ce navigateur est connecté en tant que ${email}. Pour créer un autre compte avec cette invitation, déconnectez-vous d’abord.`,
  signOut: 'Se déconnecter et continuer',
  stay: 'Rester connecté',

  invite: 'Inviter',
  inviteTitle: 'Inviter une personne',
  inviteText: 'Vous recevez un lien à envoyer. Une personne peut créer un compte avec.',
  email: 'E-mail (facultatif)',
  emailHint: 'Réserve l’invitation à cette adresse. Aucun e-mail n’est envoyé.',
  note: 'Note (facultative)',
  noteHint: 'Visible des seuls administrateurs, par exemple « nouvelle photographe ».',
  create: 'Créer le lien',

  madeTitle: 'Copiez le lien maintenant',
  madeText: (until) => `Il fonctionne une fois, jusqu’au ${until}. Vous ne le reverrez plus.`,
  link: 'Lien d’invitation',

  list: 'Invitations',
  open: { one: 'invitation ouverte', other: 'invitations ouvertes' },
  columns: { name: 'Invitation', role: 'Rôle', folders: 'Dossiers', state: 'État', expires: 'Expire' },
  anyone: 'Toute personne ayant le lien',
  anyoneThere: 'tout le monde',
  createdBy: (when, name) => `Créée ${when} par ${name}`,
  deletedAccount: 'un compte supprimé',
  states: { open: 'Ouverte', used: 'Utilisée', expired: 'Expirée', suspended: 'Suspendue' },
  usedBy: (name) => `par ${name}`,
  suspended: (name) => `${name} ne peut plus gérer les utilisateurs`,
  actions: 'Actions',
  revoke: {
    action: 'Révoquer',
    actionOf: (name) => `Révoquer l’invitation : ${name}`,
    title: 'Révoquer cette invitation ?',
    text: (name) => `Le lien pour ${name} cesse aussitôt de fonctionner.`,
    done: 'Invitation révoquée',
  },
  remove: {
    action: 'Retirer',
    actionOf: (name) => `Retirer l’invitation : ${name}`,
    title: 'Retirer cette invitation ?',
    text: (name) => `Le lien pour ${name} a expiré. L’invitation disparaît de la liste.`,
    done: 'Invitation retirée',
  },
}
