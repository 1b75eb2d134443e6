import type { deviceTexts as English } from '../devices.ts'

export const deviceTexts: typeof English = {
  title: 'Autorizar um programa',
  lead: 'Digite o código que o programa mostra.',
  code: 'Código',
  next: 'Continuar',
  unknown:
    'Nenhum programa espera com este código. Confira-o ou comece de novo: um código vale por 10 minutos.',
  asks: (name) => `${name} pede acesso`,
  compare: 'Autorize só se você mesmo o iniciou e ele mostra este código:',
  able: (scopes, email) =>
    `Ele recebe uma chave de API de ${email}, com a qual pode ${scopes}. Você pode excluí-la em “Chaves de API” quando quiser.`,
  from: (address) => `O pedido vem de ${address}.`,
  approve: 'Autorizar',
  deny: 'Recusar',
  approved: (name) => `${name} está conectado`,
  approvedText: 'Você pode fechar esta página.',
  denied: 'Recusado',
  deniedText:
    'O programa não recebe acesso. Se você não o iniciou, o link pode ter sido enviado para chegar aos seus arquivos.',
  home: 'Ir para o Holdfast',
}
