import type { webhookTexts as English } from '../webhooks.ts'

export const webhookTexts: typeof English = {
  title: 'Webhook',
  lead: '向您的服务器发送已签名的事件。请通过 API 创建和更改 Webhook。',
  list: 'Webhook',
  none: '还没有 Webhook。',
  guide: 'Webhook 的工作方式',
  on: '开启',
  off: '关闭',
  forShares: '用于分享',
  noEvents: '仅指定它的分享',
  events: {
    'upload.completed': '上传',
    'share.downloaded': '分享的下载',
    'share.received': '接收的文件',
    'share.ended': '结束的分享',
    'integrity.failed': '损坏的文件',
  },
}
