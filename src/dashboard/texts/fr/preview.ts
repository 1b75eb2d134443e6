import { formatNumber } from '../../language.ts'
import type { previewTexts as English } from '../preview.ts'

const UNPLAYED = {
  title: 'Votre navigateur ne peut pas lire ce fichier',
  text: 'Téléchargez-le pour le lire avec un autre programme.',
}

export const previewTexts: typeof English = {
  place: (number, count) => `${formatNumber(number)} sur ${formatNumber(count)}`,
  previous: 'Fichier précédent',
  next: 'Fichier suivant',
  notFound: 'Fichier introuvable',
  notFoundText: 'Il a peut-être été déplacé ou supprimé, ou vous n’y avez pas accès.',
  unshown: {
    picture: {
      title: 'Cette image ne peut pas être affichée',
      text: 'Elle est peut-être endommagée, ou dans un format que votre navigateur ne connaît pas. Vous pouvez la télécharger.',
    },
    video: UNPLAYED,
    audio: UNPLAYED,
    pdf: {
      title: 'Ce PDF ne peut pas être affiché',
      text: 'Il est peut-être endommagé, ou protégé par un mot de passe. Téléchargez-le pour essayer un autre programme.',
    },
    unknown: {
      title: 'Pas d’aperçu pour ce type',
      text: 'Téléchargez le fichier pour l’ouvrir sur votre appareil.',
    },
  },
  large: 'Ce fichier est trop gros pour être affiché',
  largeText: (limit) =>
    `Son nom n’indique pas son type, et seuls les fichiers jusqu’à ${limit} sont affichés d’après leur contenu. Vous pouvez le télécharger.`,
  zoomIn: 'Agrandir',
  zoomOut: 'Réduire',
  zoomed: (percent) => `${percent} %`,
  fit: (percent) => `Zoom ${percent} % : adapter à la fenêtre`,
  empty: 'Ce fichier est vide',
  part: 'Partie du texte',
  parts: { start: 'Début', end: 'Fin' },
  look: 'Affichage',
  looks: {
    markdown: { rendered: 'Mis en forme', source: 'Source' },
    table: { rendered: 'Tableau', source: 'Source' },
  },
  wrap: 'Retour à la ligne',
  more: 'Afficher plus',
  earlier: 'Afficher les lignes précédentes',
  amount: (shown, size) => `${shown} affichés sur ${size}`,
  task: (isDone) => (isDone ? 'Fait' : 'À faire'),
  remotePicture: 'Image externe',
  uploader: {
    title: 'Importé par',
    you: (name) => `${name} (vous)`,
    gone: 'Un compte supprimé',
    none: 'Trouvé sur le disque',
  },
  photo: {
    title: 'Image',
    taken: 'Prise le',
    camera: 'Appareil photo',
    lens: 'Objectif',
    exposure: 'Exposition',
    dimensions: 'Dimensions',
    place: 'Lieu',
  },
}
