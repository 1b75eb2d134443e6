import { formatNumber } from '../../language.ts'
import type { conflictTexts as English } from '../conflicts.ts'

export const conflictTexts: typeof English = {
  title: (count, what) => {
    if (what === 'chosen') return 'Vários arquivos têm o mesmo nome'
    if (what === 'any')
      return count === 1 ? '1 nome já existe aqui' : `${formatNumber(count)} nomes já existem aqui`
    return count === 1 ? '1 arquivo já existe aqui' : `${formatNumber(count)} arquivos já existem aqui`
  },
  folder: 'Uma pasta aqui',
  here: (size) => `${size} aqui`,
  chosen: (size) => `${size} escolhido antes`,
  choiceOf: (name) => `Opção para ${name}`,
  choices: { skip: 'Pular', replace: 'Substituir', 'keep-both': 'Manter ambos' },
  each: 'Decidir para cada arquivo',
  more: (count) => `e mais ${formatNumber(count)}`,
  sizes: (existing, added) => `${existing}, novo ${added}`,
  skipAll: 'Pular todos',
  text: (others, what, kept) =>
    [
      ...(what === 'any' ? ['Só é possível substituir arquivos que já estão aqui.'] : []),
      ...(what === 'files' ? ['“Substituir” mantém os links de um arquivo.'] : []),
      ...(what !== 'files' || kept === undefined ? [] : [`A versão anterior é mantida por ${kept}.`]),
      '“Manter ambos” acrescenta um número ao novo nome.',
      ...(others === 0 ? [] : ['“Pular” envia apenas os outros.']),
    ].join(' '),
  unchanged: (count) =>
    count === 1
      ? '1 arquivo sem alterações pulado'
      : `${formatNumber(count)} arquivos sem alterações pulados`,
  upload: (what) => `Enviar ${what}`,
}
