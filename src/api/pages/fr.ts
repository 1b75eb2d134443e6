import type { PageTexts } from './en.ts'
import type { Speech } from './speech.ts'

const file = { one: 'fichier', other: 'fichiers' }

export const french = ({ number, count, bytes, clock }: Speech): PageTexts => ({
  shared: 'Fichiers partagés',
  sendFiles: 'Envoyer des fichiers',
  sendTo: (name) => `Envoyer des fichiers à ${name}`,
  back: 'Retour',
  folder: 'Dossier',
  more: 'Autres fichiers',
  nothing: 'Il n’y a pas de fichiers ici pour le moment.',
  summary: (sum) => `${count(sum.count, file)}, ${bytes(sum.size)}`,
  sharedBy: (name) => `Partagé par ${name}`,
  sharedFile: (name, what) => `${name} a partagé ${what}`,
  sharedFiles: (name, summary) => `${name} a partagé ${summary}`,
  download: 'Télécharger',
  downloadOne: (size) => `Télécharger (${bytes(size)})`,
  downloadAll: 'Tout télécharger en ZIP',
  unshown: 'Téléchargez ce fichier pour l’ouvrir.',
  limited: 'L’afficher compterait comme un téléchargement : il n’est donc pas montré ici.',
  pdfUnshown: 'Ce navigateur n’affiche pas les PDF dans une page.',
  beginning: 'Seul le début est affiché. Téléchargez le fichier pour le lire en entier.',
  pictures: 'Précédente et suivante',
  strip: 'Images',
  previous: 'Précédente',
  next: 'Suivante',

  closed: {
    title: 'Lien introuvable',
    heading: 'Ce lien n’existe pas ou a expiré',
    advice: 'Vérifiez que le lien est complet, ou demandez-en un nouveau à la personne qui vous l’a envoyé.',
  },
  missing: {
    title: 'Introuvable',
    heading: 'Il n’y a rien ici',
    advice: 'Le lien est peut-être incomplet, ou le fichier n’est plus là. Demandez un nouveau lien.',
  },
  expired: {
    title: 'Lien expiré',
    heading: 'Ce lien a expiré',
    advice: 'Demandez un nouveau lien à la personne qui vous l’a envoyé.',
  },
  busy: {
    title: 'Réessayez bientôt',
    heading: 'Pas d’autre téléchargement pour l’instant',
    back: 'Retour aux fichiers',
  },
  taken: (until) =>
    `D’autres visiteurs téléchargent, et ce lien n’en permet pas davantage pour l’instant. Réessayez à ${clock(until)}.`,
  tooMany: {
    heading: 'Trop de requêtes',
    advice: 'Votre réseau envoie beaucoup de requêtes. Attendez une minute, puis rechargez cette page.',
  },
  unavailable: {
    heading: 'Indisponible pour l’instant',
    advice:
      'Le serveur est occupé ou ne peut pas atteindre ses données. Attendez une minute, revenez en arrière et réessayez.',
  },
  failed: {
    heading: 'Une erreur s’est produite',
    advice:
      'Revenez en arrière et réessayez. Si l’erreur persiste, adressez-vous à la personne qui vous a envoyé le lien.',
  },
  locked: { heading: 'Ces fichiers sont protégés par un mot de passe', enter: 'Saisir le mot de passe' },
  password: {
    lead: 'Ce partage est protégé par un mot de passe.',
    label: 'Mot de passe',
    open: 'Ouvrir',
    wrong: 'Le mot de passe est incorrect.',
    limited: 'Trop de mots de passe incorrects. Attendez une minute et réessayez.',
  },
  site: {
    heading: 'Ce site est protégé par un mot de passe',
    over: 'Cette adresse n’ouvre plus le site.',
  },
  chats: {
    read: 'Voir et télécharger des fichiers partagés',
    both: 'Voir et télécharger des fichiers partagés, et envoyer les vôtres',
    write: 'Un formulaire pour envoyer des fichiers',
  },

  refused: {
    title: 'Fichiers non envoyés',
    heading: 'Les fichiers n’ont pas été envoyés',
    again: 'Réessayer',
  },
  refusals: {
    'share-full': 'Il n’y a plus assez de place dans ce lien.',
    'type-not-accepted': 'Les fichiers de ce type ne sont pas acceptés ici.',
    'too-large': 'C’est plus que la taille autorisée pour un fichier.',
    'too-many': 'Il y a trop de fichiers à la fois.',
    'no-space':
      'Il n’y a plus assez d’espace de stockage. Adressez-vous à la personne qui vous a envoyé le lien.',
    'share-not-found': 'Ce lien a été désactivé.',
    other: 'Le serveur a refusé l’envoi. Réessayez plus tard.',
  },
  box: {
    choose: 'Choisissez des fichiers ou déposez-les ici',
    send: 'Envoyer',
    away: 'Ce lien n’accepte pas de fichiers pour l’instant. Adressez-vous à la personne qui vous l’a envoyé.',
    hasAll: 'Ce lien a reçu tous les fichiers qu’il peut recevoir.',
    isFull: 'Des envois en cours occupent la place qui reste. Réessayez plus tard.',
    any: (fileSize) => `Envoyez les fichiers de votre choix, jusqu’à ${bytes(fileSize)} chacun.`,
    some: (amount, size, fileSize) => {
      const most =
        amount === undefined
          ? 'Envoyez des fichiers'
          : `Envoyez jusqu’à ${count(amount, { one: 'autre fichier', other: 'autres fichiers' })}`
      return `${most}${size === undefined ? '' : `, ${bytes(size)} au total`}. Chaque fichier peut faire jusqu’à ${bytes(fileSize)}.`
    },
    types: (types) => `Types acceptés : ${types}`,
    arrived: (name, amount) =>
      amount === 1 ? `${name} a bien reçu votre fichier` : `${name} a bien reçu vos ${count(amount, file)}`,
    received: (size) => `${bytes(size)}, reçu`,
    others: (amount) => `et ${number(amount)} de plus`,
  },
  script: {
    file,
    remove: 'Retirer',
    sending: 'Envoi en cours',
    arrived: 'Reçu',
    waiting: 'En attente de la connexion…',
  },
})
