import type * as English from '../scopes.ts'

export const keyScopeTexts: typeof English.keyScopeTexts = {
  'files:read': {
    label: 'Ler arquivos',
    can: 'ler',
    short: 'Ler',
    hint: 'Listar, pesquisar e baixar arquivos, e compartilhá-los onde as configurações permitem.',
  },
  'files:write': {
    label: 'Gravar arquivos',
    can: 'gravar',
    short: 'Gravar',
    hint: 'Enviar, renomear, mover e tornar público ou privado.',
  },
  'files:delete': {
    label: 'Excluir arquivos',
    can: 'excluir',
    short: 'Excluir',
    hint: 'Mover arquivos e pastas para a lixeira e excluí-los permanentemente.',
  },
}

export const scopeTexts: typeof English.scopeTexts = {
  ...keyScopeTexts,
  'api-keys:manage': {
    label: 'Chaves de API',
    can: 'chaves de API',
    short: 'Chaves',
    hint: 'Criar chaves e deixar aplicativos usá-las.',
  },
  'settings:manage': {
    label: 'Configurações',
    can: 'configurações',
    short: 'Configurações',
    hint: 'Alterar limites e a visibilidade dos arquivos para todos.',
  },
  'users:manage': {
    label: 'Usuários',
    can: 'usuários',
    short: 'Usuários',
    hint: 'Adicionar, alterar e excluir contas.',
  },
}

export const roleTexts: typeof English.roleTexts = {
  admin: {
    label: 'Administrador',
    hint: 'Pode fazer tudo, inclusive gerenciar usuários e configurações.',
  },
  editor: {
    label: 'Editor',
    hint: 'Pode ler, gravar e excluir arquivos, e gerenciar as próprias chaves de API.',
  },
  viewer: { label: 'Leitor', hint: 'Pode ver e baixar arquivos.' },
  custom: { label: 'Personalizada', hint: 'Escolher as permissões.' },
}

export const scopeListTexts: typeof English.scopeListTexts = {
  say: (files, managed) =>
    [files && `${files} arquivos`, managed && `gerenciar ${managed}`].filter(Boolean).join(' e '),
}
