import type { webhookTexts as English } from '../webhooks.ts'

export const webhookTexts: typeof English = {
  title: 'Webhooks',
  lead: 'Schicken signierte Ereignisse an Ihre Server. Erstellt und geändert werden sie mit der API.',
  list: 'Webhooks',
  none: 'Noch keine Webhooks.',
  guide: 'So funktionieren Webhooks',
  on: 'Ein',
  off: 'Aus',
  forShares: 'für Freigaben',
  noEvents: 'Nur Freigaben, die ihn nennen',
  events: {
    'upload.completed': 'Uploads',
    'share.downloaded': 'Downloads aus Freigaben',
    'share.received': 'Empfangene Dateien',
    'share.ended': 'Beendete Freigaben',
    'integrity.failed': 'Beschädigte Dateien',
  },
}
