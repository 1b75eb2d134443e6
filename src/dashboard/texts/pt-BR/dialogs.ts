import type { dialogTexts as English } from '../dialogs.ts'

const inBrackets = (text: string) => (text === '' ? '' : ` (${text})`)

export const dialogTexts: typeof English = {
  counting: 'Calculando o que será excluído…',
  deleteTitle: (what) => `Excluir ${what} permanentemente?`,
  expires: (moment, left) => `Expira em ${left} (${moment}).`,
  extensionText: 'Outra extensão muda o tipo do arquivo, e os aplicativos podem não abri-lo mais.',
  extensionTitle: (name) => `Renomear para “${name}”?`,
  facts: {
    added: 'Adicionado',
    changed: 'Alterado',
    checksum: 'SHA-256',
    folder: 'Pasta',
    size: 'Tamanho',
    traffic: 'Tráfego, últimos 30 dias',
    type: 'Tipo',
    visibility: 'Visibilidade',
  },
  folderName: 'Nome',
  lifetime: 'Expira após',
  loss: {
    files: (count, what, size) =>
      count === 1
        ? `O arquivo${inBrackets(size)} é excluído. Os links para ele deixarão de funcionar. Não é possível desfazer.`
        : `Exclusão de ${what}${inBrackets(size)}. Os links para eles deixarão de funcionar. Não é possível desfazer.`,
    folder: (what, size) =>
      what === ''
        ? 'A pasta é excluída. Ela está vazia.'
        : `A pasta é excluída com seu conteúdo: ${what}${inBrackets(size)}. Os links deixarão de funcionar. Não é possível desfazer.`,
    mixed: (what, size) =>
      `Exclusão, com o conteúdo das pastas: ${what}${inBrackets(size)}. Os links deixarão de funcionar. Não é possível desfazer.`,
    uncounted: (what) =>
      `Exclusão, com o conteúdo das pastas: ${what}. Os links para os arquivos deixarão de funcionar. Não é possível desfazer.`,
  },
  makeLink: 'Criar link',
  moveTitle: (what) => `Mover ${what}`,
  moveTo: (where) => `Mover para ${where}`,
  noFolders: 'Não há pastas aqui.',
  noTraffic: 'Nenhuma solicitação',
  plainLink: 'Link',
  plainLinkIs: {
    public: 'Qualquer pessoa com este link pode abrir o arquivo.',
    private: 'Este arquivo é privado: o link só abre para usuários conectados.',
  },
  signedLink: 'Link temporário',
  signedLinkText:
    'Qualquer pessoa com este link pode abrir o arquivo até ele expirar. Não é possível revogá-lo antes.',
  traffic: (requests, bytes) => `${requests}, ${bytes} transferidos`,
  trafficLabel: 'Solicitações por dia',
  versions: {
    delete: 'Excluir permanentemente',
    deleted: 'Versão excluída permanentemente',
    deleteOf: (when) => `Excluir permanentemente a versão de ${when}`,
    deleteText: (when) => `A versão de ${when} é excluída. O arquivo em si não muda.`,
    deleteTitle: 'Excluir esta versão permanentemente?',
    download: (when) => `Baixar a versão de ${when}`,
    facts: (size, when) => `${size}, substituída ${when}`,
    restore: (when) => `Restaurar a versão de ${when}`,
    restored: (when) => `Versão de ${when} restaurada. A anterior fica guardada como versão.`,
    title: 'Versões anteriores',
  },
  visibilityText:
    'Todos os arquivos nas pastas selecionadas e abaixo delas mudam. Os links simples dos arquivos que se tornam privados deixam de funcionar para o público.',
  visibilityTitle: (visibility) => `Tornar tudo ${visibility}?`,
}
