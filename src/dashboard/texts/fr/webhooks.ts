import type { webhookTexts as English } from '../webhooks.ts'

export const webhookTexts: typeof English = {
  title: 'Webhooks',
  lead: 'Envoient des événements signés à vos serveurs. Créez et modifiez les webhooks avec l’API.',
  list: 'Webhooks',
  none: 'Aucun webhook pour l’instant.',
  guide: 'Comment fonctionnent les webhooks',
  on: 'Activé',
  off: 'Désactivé',
  forShares: 'pour les partages',
  noEvents: 'Seulement les partages qui le nomment',
  events: {
    'upload.completed': 'Importations',
    'share.downloaded': 'Téléchargements depuis des partages',
    'share.received': 'Fichiers reçus',
    'share.ended': 'Partages terminés',
    'integrity.failed': 'Fichiers endommagés',
  },
}
