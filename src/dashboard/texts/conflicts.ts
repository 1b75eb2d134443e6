import { formatNumber, inLanguage } from '../language.ts'

/** Texts about uploads whose names are taken. */
export const conflictTexts = inLanguage('conflictTexts', {
  title: (count: number, what: 'files' | 'any' | 'chosen') => {
    if (what === 'chosen') return 'Several files have the same name'
    if (what === 'any')
      return count === 1 ? '1 name is taken here' : `${formatNumber(count)} names are taken here`
    return count === 1 ? '1 file already exists here' : `${formatNumber(count)} files already exist here`
  },
  folder: 'A folder here',
  here: (size: string) => `${size} here`,
  chosen: (size: string) => `${size} chosen before`,
  choiceOf: (name: string) => `Choice for ${name}`,
  choices: { skip: 'Skip', replace: 'Replace', 'keep-both': 'Keep both' },
  each: 'Decide for each file',
  more: (count: number) => `and ${formatNumber(count)} more`,
  sizes: (existing: string, added: string) => `${existing}, ${added} new`,
  skipAll: 'Skip all',
  /** @param kept Time for which an earlier version is kept; `undefined` when it is not, or not known. */
  text: (others: number, what: 'files' | 'any' | 'chosen', kept: string | undefined) =>
    [
      ...(what === 'any' ? ['Only files that are here can be replaced.'] : []),
      ...(what === 'files' ? ['“Replace” keeps a file’s links.'] : []),
      ...(what !== 'files' || kept === undefined ? [] : [`The earlier version is kept for ${kept}.`]),
      '“Keep both” adds a number to the new name.',
      ...(others === 0 ? [] : ['“Skip” uploads only the others.']),
    ].join(' '),
  unchanged: (count: number) =>
    count === 1
      ? 'Skipped 1 file that hasn’t changed'
      : `Skipped ${formatNumber(count)} files that haven’t changed`,
  upload: (what: string) => `Upload ${what}`,
})
