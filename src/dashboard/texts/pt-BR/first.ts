import { formatCount, formatNumber } from '../../language.ts'
import type { FirstTexts } from '../translation.ts'

const secondsOf = (count: number) => formatCount(count, { one: 'segundo', other: 'segundos' })

export const texts: FirstTexts = {
  byte: 'B',
  justNow: 'agora mesmo',
  loading: 'Carregando',
  notifications: 'Notificações',
  signOut: 'Sair',
  today: 'Hoje',
  yesterday: 'Ontem',

  actions: {
    cancel: 'Cancelar',
    close: 'Fechar',
    copied: 'Copiado',
    copy: 'Copiar',
    done: 'Concluído',
    retry: 'Tentar novamente',
  },

  nouns: {
    file: { one: 'arquivo', other: 'arquivos' },
    item: { one: 'item', other: 'itens' },
    folder: { one: 'pasta', other: 'pastas' },
    request: { one: 'solicitação', other: 'solicitações' },
    day: { one: 'dia', other: 'dias' },
    entry: { one: 'entrada', other: 'entradas' },
    miss: { one: 'não encontrada', other: 'não encontradas' },
    upload: { one: 'envio', other: 'envios' },
    delete: { one: 'exclusão', other: 'exclusões' },
    change: { one: 'alteração', other: 'alterações' },
    device: { one: 'dispositivo', other: 'dispositivos' },
    download: { one: 'download', other: 'downloads' },
  },

  unitOf: (label) => `${label}: unidade`,

  lifetime: 'Expira',
  lifetimes: {
    1: 'Em um dia',
    7: 'Em 7 dias',
    30: 'Em 30 dias',
    90: 'Em 90 dias',
    365: 'Em um ano',
    day: 'Em uma data',
    never: 'Nunca',
  },
  lastDay: 'Último dia',
  worksUntil: (moment) => `Expira em ${moment}.`,

  pages: {
    files: 'Arquivos',
    recent: 'Recentes',
    favorites: 'Favoritos',
    shares: 'Compartilhamentos',
    trash: 'Lixeira',
    overview: 'Visão geral',
    activity: 'Atividade',
    security: 'Log de segurança',
    settings: 'Configurações',
    keys: 'Chaves de API',
    users: 'Usuários',
    account: 'Conta',
  },
  themes: { system: 'Sistema', light: 'Claro', dark: 'Escuro' },
  visibility: { public: 'Público', private: 'Privado' },

  frame: {
    menu: 'Menu',
    navigation: 'Páginas',
    search: 'Pesquisar',
    skip: 'Ir para o conteúdo',
    theme: 'Aparência',
    docs: 'Documentação',
    apiDocs: 'Referência da API',
  },

  account: {
    email: 'E-mail',
    name: 'Nome',
    password: 'Senha',
    passwordHint: 'Pelo menos 8 caracteres.',
    showPassword: 'Mostrar senha',
    hidePassword: 'Ocultar senha',
  },

  fieldProblems: {
    missing: 'Preencha este campo.',
    email: 'Digite um e-mail, por exemplo ada@example.com.',
    short: (length) => `Use pelo menos ${length} caracteres.`,
  },

  signIn: {
    title: 'Entrar',
    lead: 'Seus arquivos estão onde você os deixou.',
    paused: 'Os envios estão em pausa: entre para continuar.',
    remember: 'Continuar conectado neste dispositivo',
    submit: 'Entrar',
    disabled: 'Esta conta está desativada. Peça a um administrador.',
    wrong: 'O e-mail ou a senha está incorreto.',
    dropped: (isHttp) =>
      `Seu navegador não manteve o login. ${isHttp ? 'Abra o endereço https deste servidor' : 'Permita cookies aqui'} e tente novamente.`,
    lost: 'Esqueceu a senha?',
    lostMember: 'Peça a um administrador deste servidor. Ele pode dar uma nova a você na página “Usuários”.',
    lostAdmin:
      'Não há outro administrador? Pare o servidor e execute isto na máquina dele, a partir do código-fonte:',
    lostBinary: 'Ou com o programa:',
  },

  addressNotice: {
    title: 'Este servidor não está configurado para este endereço',
    text: (origin) =>
      `Ele recusa alterações vindas de ${origin}. Adicione esta linha ao ambiente dele e reinicie-o:`,
    line: 'Linha para adicionar',
    elsewhere: 'Se BASE_URL já está definida, abra o painel nesse endereço.',
  },

  notFound: {
    title: 'Não encontrado',
    lead: 'Esta página não existe',
    text: 'Ela pode ter sido movida, ou você não tem acesso.',
    home: 'Ir para a página inicial',
    folder: 'Pasta não encontrada',
    files: 'Ir para seus arquivos',
  },

  errors: {
    title: 'Algo deu errado',
    chunk:
      'Não foi possível carregar esta página. Tente novamente ou recarregue se o Holdfast foi atualizado.',
    commonPassword: 'Esta senha é muito comum. Escolha outra.',
    copy: 'Seu navegador não permitiu copiar. Selecione o texto e copie-o você mesmo.',
    disk: (code) => `O disco do servidor recusou (${code}). Peça a um administrador.`,
    forbidden: 'Sua conta não tem permissão para isso. Peça a um administrador.',
    full: 'O disco do servidor está cheio. Peça a um administrador.',
    origin: (origin) =>
      `Este servidor não está configurado para ${origin}. Defina BASE_URL=${origin} e reinicie-o.`,
    names: {
      taken: (name) => `“${name}” já existe nesta pasta.`,
      signs: 'Um nome não pode conter “/”, “\\” nem quebras de linha.',
      dots: 'Um nome não pode ser “.” nem “..”.',
      long: 'Este nome é longo demais.',
    },
    signedOut: 'Sua sessão terminou. Entre novamente.',
    manyFavorites: (most) => `Você já tem ${most} favoritos. Remova alguns primeiro.`,
    gone: 'Isso não existe mais.',
    tooLarge: (most) => `O arquivo passa do máximo de ${most}.`,
    tooMany: (seconds) => `Houve solicitações demais em um minuto. Tente novamente em ${secondsOf(seconds)}.`,
    offline: 'Não foi possível acessar o servidor. Reconectando automaticamente…',
    tooManyTitle: 'Solicitações demais',
    tooManyRetry: (seconds) =>
      `O servidor limita as solicitações por minuto. Esta página recarrega em ${secondsOf(seconds)}.`,
    unexpected: 'Algo deu errado no servidor. Se continuar acontecendo, veja o log dele.',
    unreachable: 'Não foi possível acessar o servidor. Verifique sua conexão e tente novamente.',
  },

  kinds: {
    all: 'Todos os tipos',
    image: 'Imagens',
    video: 'Vídeos',
    audio: 'Áudio',
    document: 'Documentos',
    archive: 'Arquivos compactados',
    code: 'Código e dados',
    other: 'Outros',
  },

  files: {
    root: 'Arquivos',
    yours: 'Suas pastas',
    notLetIn: 'Nenhuma pasta ainda',
    askToBeLetIn: (admin = 'um administrador deste servidor') => `Peça acesso a uma pasta para ${admin}.`,
    noneToShare: 'Você não pode compartilhar todos estes',
    folder: 'Pasta',
    actions: 'Ações',
    actionsOf: (name) => `Ações para ${name}`,
    breadcrumb: 'Pastas acima',
    clearSelection: 'Limpar seleção',
    columns: { name: 'Nome', size: 'Tamanho', updatedAt: 'Alterado', visibility: 'Visibilidade' },
    contents: 'Arquivos e pastas',
    copyLink: 'Copiar link',
    create: 'Criar pasta',
    curlLabel: 'Comando que envia um arquivo',
    delete: 'Excluir',
    deleted: (what) => `${what}: exclusão permanente concluída`,
    deleteForGood: 'Excluir permanentemente',
    deleting: (what) => `Excluindo ${what} permanentemente`,
    details: 'Detalhes',
    download: 'Baixar',
    downloadFailed: 'O download não começou. Tente novamente.',
    severalDownloads: (count) =>
      `${count} downloads iniciados, um para cada pasta. Seu navegador pode perguntar se permite vários.`,
    tooManyToDownload: (most, count) =>
      `Você selecionou ${formatNumber(count)} arquivos, mas um ZIP contém no máximo ${formatNumber(most)}. Selecione menos, ou tudo na pasta.`,
    dropHere: 'Solte arquivos ou pastas em qualquer lugar desta janela, ou escolha-os.',
    empty: 'Nada aqui ainda',
    emptyFolder: 'Esta pasta está vazia',
    first: 'Envie seu primeiro arquivo',
    grid: 'Grade',
    kind: 'Tipo',
    layout: 'Exibição',
    linkCopied: 'Link copiado',
    list: 'Lista',
    loadRest: 'Carregar o resto',
    loadingMore: (shown) => `${shown} até agora, vem mais…`,
    makePrivate: 'Tornar privado',
    makePublic: 'Tornar público',
    move: 'Mover',
    moving: (what) => `Movendo ${what}`,
    moved: (what, where) => `${what}: agora em ${where || 'Arquivos'}`,
    new: 'Novo',
    newFolder: 'Nova pasta',
    newName: (name) => `Novo nome de ${name}`,
    noMatch: 'Nada corresponde nesta pasta',
    order: 'Ordem',
    orders: {
      'name-ASC': 'Nome, de A a Z',
      'name-DESC': 'Nome, de Z a A',
      'updatedAt-DESC': 'Mais recentes',
      'updatedAt-ASC': 'Mais antigos',
      'size-DESC': 'Maiores primeiro',
      'size-ASC': 'Menores primeiro',
    },
    makeKey: 'Criar uma chave',
    orCurl: 'Ou de um terminal, com uma chave de API em $KEY.',
    pdfPage: (number, count) => `Página ${number} de ${count}`,
    preview: 'Abrir',
    privateLinkCopied: 'Link copiado. O arquivo é privado, então o link só abre para usuários.',
    quoted: (name) => `“${name}”`,
    rename: 'Renomear',
    replace: 'Substituir',
    requestFiles: 'Solicitar arquivos',
    search: 'Pesquisar nesta pasta',
    select: (name) => `Selecionar ${name}`,
    selectAll: 'Selecionar tudo',
    selected: (what) => `Seleção: ${what}`,
    selection: 'Seleção',
    share: 'Compartilhar',
    notDeleted: (what, reason) => `Não foi possível excluir (${what}): ${reason}`,
    settingVisibility: (what, visibility) => `Mudando para ${visibility}: ${what}`,
    someNotMoved: (what, reason) => `Não foi possível mover (${what}): ${reason}`,
    upload: 'Enviar',
    uploadFolder: 'Enviar pasta',
    visibilityFailed: (what, reason) => `Não foi possível alterar (${what}): ${reason}`,
    visibilitySet: (what, visibility) => `${what}: agora ${visibility}`,
  },

  bulk: {
    canceled: (done, left) => {
      const others =
        left === 1
          ? 'o outro item fica como estava'
          : `os outros ${formatNumber(left)} itens ficam como estavam`
      return done === '' ? 'Cancelado. Nada mudou.' : `${done}. Cancelado: ${others}.`
    },
    ending: (progress) => (progress === '' ? 'Parando…' : `${progress} · Parando…`),
    progress: (done, total) => `${formatNumber(done)} de ${formatNumber(total)}`,
    waiting: (seconds) => `O servidor limita as solicitações por minuto. Retomando em ${secondsOf(seconds)}.`,
  },
}
