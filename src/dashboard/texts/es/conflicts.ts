import { formatNumber } from '../../language.ts'
import type { conflictTexts as English } from '../conflicts.ts'

export const conflictTexts: typeof English = {
  title: (count, what) => {
    if (what === 'chosen') return 'Varios archivos tienen el mismo nombre'
    if (what === 'any')
      return count === 1 ? '1 nombre ya existe aquí' : `${formatNumber(count)} nombres ya existen aquí`
    return count === 1 ? '1 archivo ya existe aquí' : `${formatNumber(count)} archivos ya existen aquí`
  },
  folder: 'Una carpeta aquí',
  here: (size) => `${size} aquí`,
  chosen: (size) => `${size} elegido antes`,
  choiceOf: (name) => `Opción para ${name}`,
  choices: { skip: 'Omitir', replace: 'Reemplazar', 'keep-both': 'Conservar ambos' },
  each: 'Decidir para cada archivo',
  more: (count) => `y ${formatNumber(count)} más`,
  sizes: (existing, added) => `${existing}, nuevo ${added}`,
  skipAll: 'Omitir todos',
  text: (others, what, kept) =>
    [
      ...(what === 'any' ? ['Solo se pueden reemplazar los archivos que ya están aquí.'] : []),
      ...(what === 'files' ? ['«Reemplazar» conserva los enlaces de un archivo.'] : []),
      ...(what !== 'files' || kept === undefined ? [] : [`La versión anterior se conserva durante ${kept}.`]),
      '«Conservar ambos» añade un número al nombre nuevo.',
      ...(others === 0 ? [] : ['«Omitir» sube solo los demás.']),
    ].join(' '),
  unchanged: (count) =>
    count === 1 ? '1 archivo sin cambios omitido' : `${formatNumber(count)} archivos sin cambios omitidos`,
  upload: (what) => `Subir ${what}`,
}
