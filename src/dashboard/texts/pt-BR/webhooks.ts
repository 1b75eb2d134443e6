import type { webhookTexts as English } from '../webhooks.ts'

export const webhookTexts: typeof English = {
  title: 'Webhooks',
  lead: 'Enviam eventos assinados para seus servidores. Crie e altere webhooks com a API.',
  list: 'Webhooks',
  none: 'Nenhum webhook ainda.',
  guide: 'Como funcionam os webhooks',
  on: 'Ativado',
  off: 'Desativado',
  forShares: 'para compartilhamentos',
  noEvents: 'Apenas compartilhamentos que o nomeiam',
  events: {
    'upload.completed': 'Envios',
    'share.downloaded': 'Downloads de compartilhamentos',
    'share.received': 'Arquivos recebidos',
    'share.ended': 'Compartilhamentos encerrados',
    'integrity.failed': 'Arquivos danificados',
  },
}
