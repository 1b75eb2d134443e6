import type { searchTexts as English } from '../search.ts'

export const searchTexts: typeof English = {
  title: 'Rechercher dans tous les fichiers',
  placeholder: 'Fichiers, dossiers, commandes',
  results: 'Résultats',
  newest: 'Ajouts récents',
  added: 'Ajouté',
  favorites: {
    none: 'Aucun favori pour l’instant',
    how: 'Choisissez « Ajouter aux favoris » dans le menu d’un fichier ou d’un dossier, ou appuyez sur *.',
  },
  none: 'Aucun résultat',
  noneYet: 'Rien encore. Continuez à taper.',
  kind: 'Type',
  folders: 'Dossiers',
  moreFolders: (count) => `${count} de plus`,
  sideWidth: 'Largeur de la navigation',
  visibility: 'Visibilité',
  anyVisibility: 'Publics et privés',
  uploader: 'Importé par',
  anyone: 'Importés par tous',
  me: 'Importés par moi',
  by: (name) => `Importés par ${name}`,
  place: 'Emplacement',
  everywhere: 'Partout',
  within: (folder) => `Dans ${folder}`,
  found: (count, hasMore) =>
    hasMore ? `Les ${count} premiers résultats. Continuez à taper pour affiner.` : `${count} trouvés`,
  keys: '↑ ↓ pour choisir, Entrée pour ouvrir',
  forCommands: '> pour les commandes',
  commands: 'Commandes',
  goTo: 'Aller à',
}
