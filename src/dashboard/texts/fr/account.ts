import type { accountTexts as English } from '../account.ts'

export const accountTexts: typeof English = {
  profile: 'Profil',
  profileText:
    'Votre nom tel que les autres le voient, et l’adresse e-mail avec laquelle vous vous connectez.',
  save: 'Enregistrer',
  saved: 'Enregistré',
  role: 'Rôle',
  may: (what) => `Vous pouvez ${what}.`,
  mayNothing: 'Vous n’avez encore aucune autorisation. Demandez à un administrateur.',

  password: 'Mot de passe',
  passwordText: 'Choisissez un mot de passe long, qui ne sert nulle part ailleurs.',
  current: 'Mot de passe actuel',
  new: 'Nouveau mot de passe',
  signOutOthers: 'Déconnecter mes autres appareils',
  change: 'Changer le mot de passe',
  changed: 'Mot de passe changé',
  noPassword:
    'Vous vous connectez sans mot de passe. Définissez-en un pour vous connecter aussi avec votre adresse e-mail.',
  setPassword: 'Définir un mot de passe',
  passwordSet: 'Mot de passe défini',
  mayNoPassword: 'Vous vous connectez sans mot de passe. Ce serveur n’en autorise pas pour votre compte.',
  passwordUnused:
    'Ce serveur ne permet pas à votre compte de se connecter avec son mot de passe : inutile de le changer.',
  wrongPassword: 'Le mot de passe actuel est incorrect.',

  storage: 'Stockage',
  storageText: 'Vos fichiers et leurs versions précédentes, corbeille comprise.',
  used: (size) => `${size} utilisés`,
  usedOf: (size, quota) => `${size} utilisés sur ${quota}`,
  storageFull:
    'Votre stockage est plein. Supprimez définitivement des fichiers, ou demandez plus d’espace à un administrateur.',

  devices: 'Appareils',
  devicesText:
    'Là où vous êtes connecté. Un appareil vous est inconnu ? Déconnectez-le et changez votre mot de passe.',
  thisDevice: 'Cet appareil',
  signedIn: (when) => `Connecté ${when}`,
  signOut: 'Déconnecter',
  signOutOf: (device, address) => `Déconnecter ${device}, ${address}`,
  signedOut: (device) => `${device} est déconnecté`,
  signOutAll: 'Déconnecter tous les autres',
  signOutAllTitle: 'Déconnecter tous les autres appareils ?',
  signOutAllText: 'Il faudra s’y reconnecter. Cet appareil reste connecté.',
  othersSignedOut: 'Tous les autres appareils sont déconnectés',
  unknownDevice: 'Appareil inconnu',
  onSystem: (browser, system) => `${browser} sur ${system}`,

  language: 'Langue',
  languageText: 'Pour le tableau de bord, où que vous vous connectiez.',
  languageOfBrowser: 'Comme le navigateur',

  appearance: 'Apparence',
  appearanceText: 'Enregistrée dans ce navigateur.',
  density: 'Lignes de fichiers',
  densities: { comfortable: 'Confortables', compact: 'Compactes' },
}
