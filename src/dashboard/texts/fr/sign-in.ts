import type { signInTexts as English } from '../sign-in.ts'

export const signInTexts: typeof English = {
  code: 'Code',
  codeTitle: 'Saisissez votre code',
  codeLead:
    'Ouvrez votre application d’authentification et saisissez les six chiffres qu’elle affiche pour ce serveur.',
  codeHint: 'Six chiffres.',
  recovery: 'Code de récupération',
  recoveryTitle: 'Utiliser un code de récupération',
  recoveryLead:
    'Saisissez l’un des codes conservés lors de la configuration. Chacun fonctionne une seule fois.',
  recoveryHint: 'Douze lettres, avec ou sans traits d’union.',
  trust: 'Faire confiance à ce navigateur pendant 30 jours',
  submit: 'Se connecter',
  useRecovery: 'Utiliser un code de récupération',
  useCode: 'Utiliser un code de l’application',
  again: 'Se connecter avec un autre compte',
  noneLeft:
    'Ni téléphone ni code de récupération ? Demandez à un administrateur de réinitialiser votre validation en deux étapes.',
  wrongCode: 'Ce code est faux ou a déjà servi. Essayez le suivant.',
  wrongRecovery: 'Ce code de récupération est faux ou a déjà servi.',
  minute: { one: 'minute', other: 'minutes' },
  locked: (wait) => `Trop de codes erronés. Vous pourrez réessayer dans ${wait}.`,

  title: 'Validation en deux étapes',
  lead: 'Après votre mot de passe, Holdfast demande un code de votre téléphone. Un mot de passe volé ne suffit alors plus.',
  required:
    'Ce serveur exige la validation en deux étapes. Configurez-la ou ajoutez une clé d’accès pour continuer.',
  isOff: 'Votre mot de passe suffit pour vous connecter.',
  isIdle: 'Vous vous connectez sans mot de passe, rien n’est donc demandé ensuite.',
  isOn: 'Activée',
  isOnText: 'La connexion demande votre mot de passe et un code de votre application.',
  isOnWithout: 'La connexion demande votre mot de passe et une deuxième étape.',
  unreadable:
    'Aucune application d’authentification ne fonctionne pour ce compte. Ajoutez-en une, ou continuez avec les codes de récupération.',
  left: (codes) => `Il reste ${codes}.`,
  recoveryCode: { one: 'code de récupération', other: 'codes de récupération' },
  trusts: (browsers) => `${browsers} passent la deuxième étape.`,
  trustsOne: '1 navigateur passe la deuxième étape.',
  browsers: (count) => `${count} navigateurs`,
  setUp: 'Configurer la validation en deux étapes',
  turnOn: 'Activer',
  turnedOn: 'Validation en deux étapes activée',
  turnOff: 'Désactiver',
  turnOffTitle: 'Désactiver la validation en deux étapes ?',
  turnOffText:
    'Votre mot de passe suffit alors pour vous connecter. Vos codes de récupération ne fonctionnent plus.',
  turnedOff: 'Validation en deux étapes désactivée',
  passkeysStay: 'Vos clés d’accès suffisent toujours pour vous connecter.',
  codesOff: 'Désactiver les codes',
  codesOffTitle: 'Désactiver les codes ?',
  codesOffText:
    'Holdfast demandera alors une clé d’accès après votre mot de passe. Vos codes de récupération restent valables.',
  codesAreOff: 'Codes désactivés',
  renew: 'Nouveaux codes de récupération',
  renewTitle: 'Créer de nouveaux codes de récupération ?',
  renewText: 'Ceux que vous avez maintenant ne fonctionneront plus.',
  addApp: 'Ajouter une application',
  changeApp: 'Changer d’application',
  changeTitle: 'Passer à une autre application ou à un autre téléphone ?',
  changeText:
    'L’application actuelle et vos codes de récupération ne fonctionneront plus. Vous en recevrez de nouveaux.',
  forget: 'Ne plus faire confiance aux navigateurs',
  forgotten: 'Tous les navigateurs redemandent la deuxième étape',

  setUpTitle: 'Configurer la validation en deux étapes',
  setUpText:
    'Scannez ceci avec une application d’authentification, comme Aegis, 2FAS ou votre gestionnaire de mots de passe.',
  qr: 'Code QR pour une application d’authentification',
  secret: 'Ou saisissez cette clé dans l’application',
  openApp: 'Ouvrir une application sur cet appareil',
  first: 'Code de l’application',
  codesTitle: 'Conservez vos codes de récupération',
  codesText:
    'Chacun vous connecte une fois sans votre téléphone. Imprimez-les ou rangez-les avec vos mots de passe : vous ne les reverrez plus.',
  codesList: 'Codes de récupération',
  copyAll: 'Copier',
  download: 'Télécharger',
  print: 'Imprimer',
  fileName: 'holdfast-codes-de-recuperation.txt',
  file: (address, codes) =>
    `Codes de récupération Holdfast pour ${address}\nChacun fonctionne une fois.\n\n${codes}\n`,

  confirmTitle: 'Confirmez votre identité',
  confirmText: 'Votre connexion date d’un moment. Confirmez votre identité avant cette modification.',
  confirm: 'Confirmer',
  password: 'Mot de passe',
  wrongPassword: 'Le mot de passe est incorrect.',
  withPassword: 'Utiliser votre mot de passe',
  noProof:
    'Ce compte se connecte sans mot de passe. Déconnectez-vous, reconnectez-vous, puis recommencez la modification.',
}
