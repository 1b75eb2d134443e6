import type { PageTexts } from './en.ts'
import type { Speech } from './speech.ts'

const file = { one: 'arquivo', other: 'arquivos' }

export const brazilian = ({ number, count, bytes, clock }: Speech): PageTexts => ({
  shared: 'Arquivos compartilhados',
  sendFiles: 'Enviar arquivos',
  sendTo: (name) => `Enviar arquivos para ${name}`,
  back: 'Voltar',
  folder: 'Pasta',
  more: 'Mais arquivos',
  nothing: 'Não há arquivos aqui no momento.',
  summary: (sum) => `${count(sum.count, file)}, ${bytes(sum.size)}`,
  sharedBy: (name) => `Compartilhado por ${name}`,
  sharedFile: (name, what) => `${name} compartilhou ${what}`,
  sharedFiles: (name, summary) => `${name} compartilhou ${summary}`,
  download: 'Baixar',
  downloadOne: (size) => `Baixar (${bytes(size)})`,
  downloadAll: 'Baixar tudo em ZIP',
  unshown: 'Baixe este arquivo para abri-lo.',
  limited: 'Mostrar o arquivo contaria como um download, por isso ele não aparece aqui.',
  pdfUnshown: 'Este navegador não mostra PDFs dentro de uma página.',
  beginning: 'Só o começo é mostrado. Baixe o arquivo para ler tudo.',
  pictures: 'Anterior e próxima',
  strip: 'Imagens',
  previous: 'Anterior',
  next: 'Próxima',

  closed: {
    title: 'Link não encontrado',
    heading: 'Este link não existe ou expirou',
    advice: 'Verifique se o link está completo ou peça um novo a quem o enviou.',
  },
  missing: {
    title: 'Não encontrado',
    heading: 'Não há nada aqui',
    advice: 'O link pode estar incompleto, ou o arquivo não está mais aqui. Peça um novo link.',
  },
  expired: {
    title: 'Link expirado',
    heading: 'Este link expirou',
    advice: 'Peça um novo link a quem o enviou.',
  },
  busy: {
    title: 'Tente de novo em breve',
    heading: 'Não são permitidos mais downloads ao mesmo tempo',
    back: 'Voltar aos arquivos',
  },
  taken: (until) =>
    `Há outros downloads em andamento, e este link não permite mais no momento. Tente de novo às ${clock(until)}.`,
  tooMany: {
    heading: 'Muitas solicitações',
    advice: 'Sua rede está enviando muitas solicitações. Aguarde um minuto e recarregue a página.',
  },
  unavailable: {
    heading: 'Indisponível no momento',
    advice:
      'O servidor está ocupado ou não consegue acessar seus dados. Aguarde um minuto, volte e tente de novo.',
  },
  failed: {
    heading: 'Algo deu errado',
    advice: 'Volte e tente de novo. Se acontecer outra vez, fale com quem enviou o link.',
  },
  locked: { heading: 'Estes arquivos têm senha', enter: 'Digitar a senha' },
  password: {
    lead: 'Este compartilhamento é protegido por senha.',
    label: 'Senha',
    open: 'Abrir',
    wrong: 'A senha está incorreta.',
    limited: 'Muitas senhas incorretas. Aguarde um minuto e tente de novo.',
  },
  site: { heading: 'Este site tem senha', over: 'Este endereço não abre mais o site.' },
  chats: {
    read: 'Ver e baixar arquivos compartilhados',
    both: 'Ver e baixar arquivos compartilhados, e enviar os seus',
    write: 'Um formulário para enviar arquivos',
  },

  refused: {
    title: 'Arquivos não enviados',
    heading: 'Os arquivos não foram enviados',
    again: 'Tentar de novo',
  },
  refusals: {
    'share-full': 'Não há mais espaço para isso neste link.',
    'type-not-accepted': 'Arquivos deste tipo não são aceitos aqui.',
    'too-large': 'Passa do tamanho permitido para um arquivo.',
    'too-many': 'São arquivos demais de uma vez.',
    'no-space': 'Não há mais espaço de armazenamento para isso. Fale com quem enviou o link.',
    'share-not-found': 'Este link foi encerrado.',
    other: 'O servidor não aceitou isso. Tente mais tarde.',
  },
  box: {
    choose: 'Escolha arquivos ou solte-os aqui',
    send: 'Enviar',
    away: 'Este link não está aceitando arquivos no momento. Fale com quem o enviou.',
    hasAll: 'Este link já recebeu todos os arquivos que pode receber.',
    isFull: 'Envios em andamento ocupam o último espaço deste link. Tente mais tarde.',
    any: (fileSize) => `Envie os arquivos que quiser, de até ${bytes(fileSize)} cada.`,
    some: (amount, size, fileSize) => {
      const most = amount === undefined ? 'Envie arquivos' : `Envie até mais ${count(amount, file)}`
      return `${most}${size === undefined ? '' : `, ${bytes(size)} no total`}. Cada arquivo pode ter até ${bytes(fileSize)}.`
    },
    types: (types) => `Tipos aceitos: ${types}`,
    arrived: (name, amount) =>
      amount === 1 ? `${name} recebeu seu arquivo` : `${name} recebeu seus ${count(amount, file)}`,
    received: (size) => `${bytes(size)}, recebido`,
    others: (amount) => `e mais ${number(amount)}`,
  },
  script: {
    file,
    remove: 'Remover',
    sending: 'Enviando',
    arrived: 'Recebido',
    waiting: 'Aguardando a conexão…',
  },
})
