import type { webhookTexts as English } from '../webhooks.ts'

export const webhookTexts: typeof English = {
  title: 'Webhooks',
  lead: 'Envían eventos firmados a tus servidores. Crea y modifica webhooks con la API.',
  list: 'Webhooks',
  none: 'Aún no hay webhooks.',
  guide: 'Cómo funcionan los webhooks',
  on: 'Activado',
  off: 'Desactivado',
  forShares: 'para enlaces compartidos',
  noEvents: 'Solo enlaces compartidos que lo nombran',
  events: {
    'upload.completed': 'Subidas',
    'share.downloaded': 'Descargas de enlaces compartidos',
    'share.received': 'Archivos recibidos',
    'share.ended': 'Enlaces compartidos finalizados',
    'integrity.failed': 'Archivos dañados',
  },
}
