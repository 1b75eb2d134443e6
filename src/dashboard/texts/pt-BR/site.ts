import { formatNumber } from '../../language.ts'
import type { siteTexts as English } from '../site.ts'

export const siteTexts: typeof English = {
  title: (folder) => `Site de “${folder}”`,
  lead: 'Os arquivos públicos desta pasta, como um site em um endereço próprio.',
  create: 'Criar site',
  created: 'Site criado',
  save: 'Salvar',
  saved: 'Site salvo',

  address: 'Endereço',
  open: 'Abrir o site',
  link: 'Link sem senha',
  linkText: (end) => `Abre o site sem a senha até ${end}.`,
  ends: (end) => `Esta prévia termina em ${end}. Depois, a pasta dela vai para a lixeira.`,

  name: 'Nome',
  nameHint: (address) => `O endereço será ${address}`,
  nameTitle: 'Use de 1 a 63 caracteres: a a z, 0 a 9 e hifens simples no meio.',
  domains: 'Domínios próprios',
  domainsHint: 'Como www.example.org. Separe vários com espaços.',
  password: 'Senha para visitantes',
  askPassword: 'Pedir uma senha aos visitantes',
  keepPassword: 'Deixe vazio para manter a senha atual.',
  spa: 'Mostrar a página inicial se uma página não existir',

  ownDomains: 'Domínios',
  isReached: 'Os visitantes chegam aqui',
  isAwaited: 'Nenhum visitante chegou desde que o servidor iniciou',
  dns: 'Registro DNS',
  dnsText: 'Um nome que não pode ser CNAME precisa de registros A e AAAA com os endereços deste servidor.',
  proxy: 'Caddy',
  proxyText:
    'Só se o Caddy estiver na frente deste servidor: troque o endereço após “reverse_proxy” pelo do servidor.',

  problems: 'Linhas sem efeito',
  problem: (file, line, message) =>
    line === 0 ? `${file}: ${message}` : `${file}, linha ${formatNumber(line)}: ${message}`,

  versions: 'Versões anteriores',
  replaced: (when) => `Substituída: ${when}`,
  goBack: 'Voltar',
  goBackTo: (when) => `Voltar à versão substituída: ${when}`,
  goBackTitle: 'Voltar a esta versão?',
  goBackText: 'Os visitantes a veem imediatamente. A versão atual vai para a lixeira.',
  wentBack: 'A versão anterior está de volta',

  previews: 'Prévias',
  until: (end) => `Até ${end}`,

  misses: 'Páginas não encontradas',
  missesText:
    'Visitantes pediram estas nos últimos sete dias. Regras em um arquivo chamado _redirects podem levá-los adiante.',
  times: (count) => `${formatNumber(count)}×`,
  all: (count) => `Mostrar todas as ${formatNumber(count)}`,

  remove: 'Remover o site',
  removeTitle: (name) => `Remover o site “${name}”?`,
  removeText: 'O endereço dele para de funcionar imediatamente. Os arquivos ficam onde estão.',
  removed: 'Site removido',
}
