import type { searchTexts as English } from '../search.ts'

export const searchTexts: typeof English = {
  title: 'Rechercher dans tous les fichiers',
  placeholder: 'Rechercher fichiers, dossiers et commandes',
  results: 'Résultats',
  newest: 'Ajouts récents',
  added: 'Ajouté',
  none: 'Aucun résultat',
  noneYet: 'Rien encore. Continuez à taper.',
  kind: 'Type',
  folders: 'Dossiers',
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
