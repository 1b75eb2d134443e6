import type { searchTexts as English } from '../search.ts'

export const searchTexts: typeof English = {
  title: 'Pesquisar em todos os arquivos',
  placeholder: 'Pesquisar arquivos, pastas e comandos',
  results: 'Resultados',
  newest: 'Adicionados recentemente',
  added: 'Adicionado',
  none: 'Nenhum resultado',
  noneYet: 'Nada ainda. Continue digitando.',
  kind: 'Tipo',
  folders: 'Pastas',
  visibility: 'Visibilidade',
  anyVisibility: 'Públicos e privados',
  uploader: 'Enviado por',
  anyone: 'Enviados por qualquer pessoa',
  me: 'Enviados por mim',
  by: (name) => `Enviados por ${name}`,
  place: 'Local',
  everywhere: 'Em todos os lugares',
  within: (folder) => `Em ${folder}`,
  found: (count, hasMore) =>
    hasMore ? `Os primeiros ${count} resultados. Continue digitando para refinar.` : `${count} encontrados`,
  keys: '↑ ↓ para escolher, Enter para abrir',
  forCommands: '> para comandos',
  commands: 'Comandos',
  goTo: 'Ir para',
}
