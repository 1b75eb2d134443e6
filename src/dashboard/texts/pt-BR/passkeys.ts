import type { passkeyTexts as English } from '../passkeys.ts'

export const passkeyTexts: typeof English = {
  signIn: 'Entrar com uma chave de acesso',
  errors: {
    'passkey-not-found':
      'Esta chave de acesso não é conhecida aqui. Entre de outra forma e adicione uma nova em “Conta”.',
    'authentication-failed': 'A chave de acesso não foi aceita. Tente novamente ou entre de outra forma.',
    'challenge-not-found': 'Demorou demais, ou você entrou em outra aba. Tente novamente.',
    'failed-to-verify-registration': 'Não foi possível verificar a nova chave de acesso. Tente novamente.',
    'passkeys-unavailable': 'Este servidor não está configurado para chaves de acesso.',
    'previously-registered': 'Esta chave de acesso já foi adicionada.',
  },
  title: 'Chaves de acesso',
  lead: 'Entre com sua impressão digital, seu rosto ou o bloqueio de tela em vez de uma senha.',
  none: 'Você ainda não tem chaves de acesso.',
  add: 'Adicionar chave de acesso',
  added: 'Chave de acesso adicionada',
  addedAt: (when) => `Adicionada ${when}`,
  usedAt: (when) => `último uso ${when}`,
  actionsOf: (name) => `Ações para ${name}`,
  rename: 'Renomear',
  renameTitle: (name) => `Renomear “${name}”`,
  name: 'Nome',
  save: 'Salvar',
  delete: 'Excluir',
  deleteTitle: (name) => `Excluir “${name}”?`,
  deleteText:
    'Você não poderá mais entrar com ela. Remova-a também do seu dispositivo, se isso não acontecer sozinho.',
  deleteLast: 'Então sua senha basta para entrar, e seus códigos de recuperação deixam de funcionar.',
  deleted: (name) => `“${name}” excluída`,
  askAfter: 'Pedi-la também depois da senha',
  askAfterHint: 'Assim uma senha roubada não basta.',
  withCodes: 'Depois da senha, você pode usar uma chave de acesso em vez de um código.',
  whyNot: {
    server:
      'Chaves de acesso exigem https e um nome. O endereço deste servidor (BASE_URL) deve começar com https:// e não pode ser um endereço IP.',
    http: 'Os navegadores só oferecem chaves de acesso por https. Abra o endereço https deste servidor.',
    address: 'Os navegadores não oferecem chaves de acesso em um endereço IP. Abra este servidor pelo nome.',
    browser: 'Este navegador é antigo demais para chaves de acesso.',
  },
  step: 'Usar uma chave de acesso',
  stepTitle: 'Use sua chave de acesso',
  stepLead: 'Confirme que é você com sua impressão digital, seu rosto ou o bloqueio de tela.',
  refused:
    'Seu navegador não conseguiu usar uma chave de acesso aqui. Tente novamente ou entre de outra forma.',
}
