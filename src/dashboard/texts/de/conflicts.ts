import { formatNumber } from '../../language.ts'
import type { conflictTexts as English } from '../conflicts.ts'

export const conflictTexts: typeof English = {
  title: (count, what) => {
    if (what === 'chosen') return 'Mehrere Dateien haben denselben Namen'
    if (what === 'any')
      return count === 1
        ? '1 Name ist hier schon vergeben'
        : `${formatNumber(count)} Namen sind hier schon vergeben`
    return count === 1 ? '1 Datei gibt es hier schon' : `${formatNumber(count)} Dateien gibt es hier schon`
  },
  folder: 'Ein Ordner hier',
  here: (size) => `${size} hier`,
  chosen: (size) => `${size} zuvor gewählt`,
  choiceOf: (name) => `Auswahl für ${name}`,
  choices: { skip: 'Überspringen', replace: 'Ersetzen', 'keep-both': 'Beide behalten' },
  each: 'Einzeln entscheiden',
  more: (count) => `und ${formatNumber(count)} weitere`,
  sizes: (existing, added) => `${existing}, neu ${added}`,
  skipAll: 'Alle überspringen',
  text: (others, what, kept) =>
    [
      ...(what === 'any' ? ['Nur vorhandene Dateien lassen sich ersetzen.'] : []),
      ...(what === 'files' ? ['„Ersetzen“ erhält die Links einer Datei.'] : []),
      ...(what !== 'files' || kept === undefined ? [] : [`Die frühere Version bleibt ${kept} erhalten.`]),
      '„Beide behalten“ hängt an den neuen Namen eine Zahl an.',
      ...(others === 0 ? [] : ['„Überspringen“ lädt nur die übrigen hoch.']),
    ].join(' '),
  unchanged: (count) =>
    count === 1
      ? '1 unveränderte Datei übersprungen'
      : `${formatNumber(count)} unveränderte Dateien übersprungen`,
  upload: (what) => `${what} hochladen`,
}
