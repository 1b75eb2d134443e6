import type { searchTexts as English } from '../search.ts'

export const searchTexts: typeof English = {
  title: 'Pesquisar em todos os arquivos',
  placeholder: 'Arquivos, pastas, comandos',
  results: 'Resultados',
  newest: 'Adicionados recentemente',
  added: 'Adicionado',
  favorites: {
    none: 'Nenhum favorito ainda',
    how: 'Escolha “Adicionar aos favoritos” no menu de um arquivo ou de uma pasta, ou pressione *.',
  },
  none: 'Nenhum resultado',
  noneYet: 'Nada ainda. Continue digitando.',
  kind: 'Tipo',
  folders: 'Pastas',
  moreFolders: (count) => `Mais ${count}`,
  sideWidth: 'Largura da navegação',
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
