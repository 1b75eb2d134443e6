import { formatNumber } from '../../language.ts'
import type { conflictTexts as English } from '../conflicts.ts'

export const conflictTexts: typeof English = {
  title: (count, what) => {
    if (what === 'chosen') return 'Plusieurs fichiers portent le même nom'
    if (what === 'any')
      return count === 1 ? '1 nom est déjà pris ici' : `${formatNumber(count)} noms sont déjà pris ici`
    return count === 1 ? '1 fichier existe déjà ici' : `${formatNumber(count)} fichiers existent déjà ici`
  },
  folder: 'Un dossier ici',
  here: (size) => `${size} ici`,
  chosen: (size) => `${size} choisi avant`,
  choiceOf: (name) => `Choix pour ${name}`,
  choices: { skip: 'Ignorer', replace: 'Remplacer', 'keep-both': 'Garder les deux' },
  each: 'Décider pour chaque fichier',
  more: (count) => `et ${formatNumber(count)} de plus`,
  sizes: (existing, added) => `${existing}, nouveau ${added}`,
  skipAll: 'Tout ignorer',
  text: (others, what, kept) =>
    [
      ...(what === 'any' ? ['Seuls les fichiers présents ici peuvent être remplacés.'] : []),
      ...(what === 'files' ? ['« Remplacer » conserve les liens d’un fichier.'] : []),
      ...(what !== 'files' || kept === undefined
        ? []
        : [`La version précédente est conservée pendant ${kept}.`]),
      '« Garder les deux » ajoute un numéro au nouveau nom.',
      ...(others === 0 ? [] : ['« Ignorer » n’importe que les autres.']),
    ].join(' '),
  unchanged: (count) =>
    count === 1 ? '1 fichier inchangé ignoré' : `${formatNumber(count)} fichiers inchangés ignorés`,
  upload: (what) => `Importer ${what}`,
}
