import type { settingsTexts as English } from '../settings.ts'

export const settingsTexts: typeof English = {
  applied: (what, visibility) => `${what}: agora ${visibility}`,
  apply: {
    public: (what) => `Tornar públicos ${what}`,
    private: (what) => `Tornar privados ${what}`,
  },
  applyText: {
    public: (what) =>
      `Passariam a ser públicos: ${what}. Qualquer pessoa que tenha o link de um arquivo, ou o adivinhe, poderia abri-lo.`,
    private: (what) =>
      `Passariam a ser privados: ${what}. Os links simples deixam de funcionar para o público. Os links temporários continuam funcionando.`,
  },
  applyTitle: { public: 'Tornar todos os arquivos públicos?', private: 'Tornar todos os arquivos privados?' },
  atLeast: (amount) => `No mínimo ${amount}.`,
  atMost: (amount) => `No máximo ${amount}.`,
  changelog: 'Novidades',
  caching: {
    title: 'Cache',
    lead: 'Por quanto tempo navegadores e proxies podem reutilizar arquivos públicos sem verificar mudanças.',
  },
  counts: (open, closed) => `${open} públicos, ${closed} privados`,
  cutsHistory: (days) =>
    `Ao salvar, todo o histórico com mais de ${days} é excluído. Não é possível desfazer.`,
  cutsTrash: {
    older: (days) =>
      `O que está na lixeira há mais de ${days} é excluído permanentemente. Não é possível desfazer.`,
    all: 'A lixeira é esvaziada, e toda exclusão passa a ser permanente. Não é possível desfazer.',
  },
  cutsVersions: {
    older: (days) =>
      `Versões substituídas há mais de ${days} são excluídas permanentemente. Não é possível desfazer.`,
    all: 'Todas as versões anteriores são excluídas permanentemente. Não é possível desfazer.',
  },
  discard: 'Descartar',
  existingFiles: 'Arquivos existentes',
  history: {
    title: 'Histórico',
    lead: 'Por quanto tempo manter o histórico. Os arquivos nunca são afetados.',
  },
  leave: 'Sair sem salvar',
  leaveText: 'Suas alterações ainda não foram salvas.',
  leaveTitle: 'Sair sem salvar?',
  limits: {
    maxUploadSize: { label: 'Tamanho máximo de arquivo', hint: 'Envios maiores são recusados.' },
    defaultPresignTtl: { label: 'Validade padrão', hint: 'Usada quando nenhuma é escolhida.' },
    maxPresignTtl: { label: 'Validade máxima', hint: 'Nenhum link dura mais.' },
    hostingCacheMaxAge: {
      label: 'Duração do cache',
      hint: '0 = sempre verificar se há uma versão mais nova.',
    },
    activityRetentionDays: { label: 'Atividade', hint: 'Mostrada na página de atividade de cada conta.' },
    trashDays: { label: 'Lixeira', hint: '0 = sem lixeira: toda exclusão é permanente.' },
    versionDays: {
      label: 'Versões anteriores',
      hint: '0 = sem versões: arquivos substituídos se perdem.',
    },
    apiRequestRetentionDays: {
      label: 'Solicitações com chave de API',
      hint: 'Dados dos gráficos de chaves de API.',
    },
  },
  links: {
    title: 'Links temporários',
    lead: 'Qualquer pessoa com um link temporário pode abrir o arquivo até ele expirar.',
  },
  longerThanLongest: 'É mais que a validade máxima.',
  makeAll: { public: 'Tornar todos públicos', private: 'Tornar todos privados' },
  newFiles: 'Novos arquivos',
  newFilesAre: {
    public: 'Qualquer pessoa com o link de um arquivo pode abri-lo, a menos que seja enviado como privado.',
    private:
      'Só pessoas com uma conta, um compartilhamento ou um link temporário podem abrir novos arquivos. Ainda é possível enviar como público.',
  },
  twoStep: {
    title: 'Verificação em duas etapas',
    lead: 'Um código do celular depois da senha. Cada pessoa pode ativá-la em “Conta”.',
  },
  mustTwoStep: 'Obrigatória para',
  twoSteppers: { no: 'Ninguém', admins: 'Administradores', all: 'Todos' },
  twoStepHints: {
    no: 'Cada pessoa decide por si.',
    admins: 'Administradores sem ela só podem abrir a página da própria conta até configurá-la.',
    all: 'Contas sem ela só podem abrir a própria página até configurá-la. As chaves de API continuam funcionando.',
  },
  sharing: {
    title: 'Compartilhamento',
    lead: 'Compartilhamentos são links que podem ser abertos sem uma conta.',
  },
  mayShare: 'Quem pode compartilhar',
  sharers: { readers: 'Todos', writers: 'Editores', nobody: 'Ninguém' },
  shareDays: (days) => `Duração padrão de um compartilhamento: ${days} (SHARE_DAYS).`,
  shareMaxDays: (days) => `Duração máxima de um compartilhamento: ${days} (SHARE_MAX_DAYS).`,
  sharingHints: {
    readers: 'Quem pode ver arquivos também pode compartilhá-los.',
    writers: 'Quem pode enviar e alterar arquivos também pode compartilhá-los.',
    nobody: 'Ninguém pode criar compartilhamentos. Os existentes ficam abertos até alguém encerrá-los.',
  },
  notANumber: 'Precisa ser um número.',
  removed: {
    title: 'Lixeira e versões',
    lead: 'Por quanto tempo arquivos excluídos e versões anteriores podem ser restaurados. Se faltar espaço em disco, os mais antigos são excluídos antes, primeiro as versões.',
  },
  save: 'Salvar',
  saved: 'Configurações salvas para todos.',
  unsaved: 'Alterações não salvas',
  units: {
    second: { one: 'segundo', other: 'segundos' },
    minute: { one: 'minuto', other: 'minutos' },
    hour: { one: 'hora', other: 'horas' },
    week: { one: 'semana', other: 'semanas' },
    year: { one: 'ano', other: 'anos' },
  },
  uploads: { title: 'Envios', lead: 'Limites do que pode ser enviado.' },
  version: (version) => `Holdfast ${version}.`,
  visibility: { title: 'Visibilidade', lead: 'Quem pode abrir arquivos pelos links simples.' },
}
