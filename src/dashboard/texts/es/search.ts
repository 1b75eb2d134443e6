import type { searchTexts as English } from '../search.ts'

export const searchTexts: typeof English = {
  title: 'Buscar en todos los archivos',
  placeholder: 'Archivos, carpetas, comandos',
  results: 'Resultados',
  newest: 'Añadidos recientemente',
  added: 'Añadido',
  favorites: {
    none: 'Aún no hay favoritos',
    how: 'Elige «Añadir a favoritos» en el menú de un archivo o una carpeta, o pulsa *.',
  },
  none: 'Sin resultados',
  noneYet: 'Nada todavía. Sigue escribiendo.',
  kind: 'Tipo',
  folders: 'Carpetas',
  moreFolders: (count) => `${count} más`,
  sideWidth: 'Ancho de la navegación',
  visibility: 'Visibilidad',
  anyVisibility: 'Públicos y privados',
  uploader: 'Subido por',
  anyone: 'Subidos por cualquiera',
  me: 'Subidos por mí',
  by: (name) => `Subidos por ${name}`,
  place: 'Ubicación',
  everywhere: 'En todas partes',
  within: (folder) => `En ${folder}`,
  found: (count, hasMore) =>
    hasMore ? `Los primeros ${count} resultados. Sigue escribiendo para acotar.` : `${count} encontrados`,
  keys: '↑ ↓ para elegir, Intro para abrir',
  forCommands: '> para comandos',
  commands: 'Comandos',
  goTo: 'Ir a',
}
