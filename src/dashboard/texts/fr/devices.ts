import type { deviceTexts as English } from '../devices.ts'

export const deviceTexts: typeof English = {
  title: 'Autoriser un programme',
  lead: 'Saisissez le code que le programme affiche.',
  code: 'Code',
  next: 'Continuer',
  unknown:
    'Aucun programme n’attend avec ce code. Vérifiez-le, ou recommencez : un code est valable 10 minutes.',
  asks: (name) => `${name} demande l’accès`,
  compare: 'N’acceptez que si vous l’avez lancé vous-même et qu’il affiche ce code :',
  able: (scopes, email) =>
    `Il reçoit une clé API de ${email}, avec laquelle il peut ${scopes}. Vous pouvez la supprimer à tout moment sous « Clés API ».`,
  from: (address) => `La demande vient de ${address}.`,
  approve: 'Autoriser',
  deny: 'Refuser',
  approved: (name) => `${name} est connecté`,
  approvedText: 'Vous pouvez fermer cette page.',
  denied: 'Refusé',
  deniedText:
    'Le programme n’obtient aucun accès. Si vous ne l’avez pas lancé, son lien vous a peut-être été envoyé pour accéder à vos fichiers.',
  home: 'Aller à Holdfast',
}
