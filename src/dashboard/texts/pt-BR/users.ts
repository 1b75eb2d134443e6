import type { userTexts as English } from '../users.ts'

export const userTexts: typeof English = {
  lead: 'As pessoas com uma conta aqui e suas permissões.',
  list: 'Usuários',
  add: 'Adicionar usuário',
  columns: {
    name: 'Usuário',
    role: 'Função',
    folders: 'Pastas',
    storage: 'Armazenamento',
    keys: 'Chaves de API',
    added: 'Adicionado',
    seen: 'Visto por último',
  },
  you: 'Você',
  disabled: 'Desativada',
  neverSeen: 'Nunca',
  ofQuota: (quota) => `de ${quota}`,
  full: 'Cheio',
  actions: 'Ações',
  actionsOf: (name) => `Ações para ${name}`,
  search: 'Pesquisar usuários',
  noMatch: 'Nenhum usuário corresponde',

  everything: 'Tudo',
  noFolders: 'Nenhuma ainda',
  reach: 'Acesso',
  reaches: {
    all: { label: 'Tudo', hint: 'Todos os arquivos e pastas deste servidor.' },
    some: {
      label: 'Apenas algumas pastas',
      hint: 'Essas pastas e tudo nelas. A conta não vê mais nada.',
    },
  },
  addFolder: 'Adicionar pasta',
  addThisFolder: 'Adicionar esta pasta',
  removeFolder: (name) => `Remover ${name}`,
  inTrash: (name) => `${name} (na lixeira)`,
  makeHome: 'Criar uma pasta para esta pessoa',
  homeOf: (name) => `people/${name}`,
  changeFolders: 'Alterar pastas',
  foldersTitle: (name) => `Pastas de ${name}`,
  foldersText: 'Vale imediatamente, inclusive para as chaves de API e os compartilhamentos da pessoa.',
  foldersChanged: (name) => `Pastas de ${name} alteradas`,

  addTitle: 'Adicionar um usuário',
  role: 'Função',
  may: 'Permissões',
  chooseScope: 'Escolha pelo menos uma permissão.',
  password: 'Senha',
  passwordHint: 'Pelo menos 8 caracteres. Pode ser alterada em “Conta”.',
  generate: 'Gerar',

  handOverTitle: (name) => `Passe estes dados de acesso para ${name}`,
  handOverText: 'Você não verá a senha novamente.',
  handOver: (address, email, password) => `${address}\nE-mail: ${email}\nSenha: ${password}`,
  handOverLabel: 'Dados de acesso',

  changeRole: 'Alterar função',
  changeRoleTitle: (name) => `Função de ${name}`,
  changeRoleText: 'Vale imediatamente, inclusive para as chaves de API da pessoa.',
  save: 'Salvar',
  roleChanged: (name, role) => `Nova função de ${name}: ${role}`,

  resetPassword: 'Redefinir senha',
  resetTitle: (name) => `Nova senha para ${name}`,
  resetText: 'A pessoa é desconectada de todos os dispositivos.',
  deleteKeys: 'Excluir também as chaves de API',
  endShares: 'Encerrar também os compartilhamentos',
  keepLinked: 'Manter o vínculo com o provedor',
  reset: 'Definir senha',

  twoStep: 'Duas etapas',
  resetTwoStep: 'Redefinir duas etapas',
  resetTwoStepTitle: (name) => `Redefinir a verificação em duas etapas de ${name}?`,
  resetTwoStepAction: 'Redefinir',
  resetTwoStepText:
    'Para quem perdeu o celular. Então a senha basta, as chaves de acesso e os códigos de recuperação deixam de funcionar, e a pessoa é desconectada de tudo.',
  twoStepReset: (name) => `${name} entra apenas com a senha`,

  changeQuota: 'Limitar armazenamento',
  quotaTitle: (name) => `Limite de armazenamento de ${name}`,
  quotaText:
    'Arquivos, versões anteriores e a lixeira contam para a conta que os enviou. Um limite menor não exclui nada.',
  quota: 'Limite de armazenamento',
  quotaChoices: { none: 'Sem limite', limit: 'Limite' },
  quotaUsed: (used) => `${used} em uso`,
  quotaChanged: (name, quota) =>
    quota === undefined ? `${name} não tem limite de armazenamento` : `${name} pode armazenar ${quota}`,

  disable: 'Desativar',
  disableTitle: (name) => `Desativar ${name}?`,
  disableText:
    'A pessoa é desconectada de tudo e suas chaves de API param até você ativar a conta novamente.',
  disabledNow: (name) => `A conta de ${name} foi desativada`,
  enable: 'Ativar',
  enabledNow: (name) => `${name} pode entrar novamente`,

  delete: 'Excluir',
  deleteTitle: (name) => `Excluir ${name}?`,
  deleteText:
    'A conta é excluída com suas sessões, chaves de API e histórico. Os arquivos ficam. Não é possível desfazer.',
  deleted: (name) => `A conta de ${name} foi excluída`,
}
