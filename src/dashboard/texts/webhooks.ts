import { inLanguage } from '../language.ts'

/** Texts of the list of webhooks. They are apart from the others, which every page loads. */
export const webhookTexts = inLanguage('webhookTexts', {
  title: 'Webhooks',
  lead: 'Send signed events to your servers. Create and change webhooks with the API.',
  list: 'Webhooks',
  none: 'No webhooks yet.',
  guide: 'How webhooks work',
  on: 'On',
  off: 'Off',
  forShares: 'for shares',
  noEvents: 'Only shares that name it',
  events: {
    'upload.completed': 'Uploads',
    'share.downloaded': 'Downloads from shares',
    'share.received': 'Files received',
    'share.ended': 'Shares that end',
    'integrity.failed': 'Damaged files',
  } as Record<string, string>,
})
