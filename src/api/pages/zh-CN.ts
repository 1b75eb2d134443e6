import type { PageTexts } from './en.ts'
import type { Speech } from './speech.ts'

const file = { one: '个文件', other: '个文件' }

export const chinese = ({ number, count, bytes, clock }: Speech): PageTexts => ({
  shared: '分享的文件',
  sendFiles: '发送文件',
  sendTo: (name) => `发送文件给 ${name}`,
  back: '返回',
  folder: '文件夹',
  more: '更多文件',
  nothing: '这里目前没有文件。',
  summary: (sum) => `${count(sum.count, file)}，${bytes(sum.size)}`,
  sharedBy: (name) => `由 ${name} 分享`,
  sharedFile: (name, what) => `${name} 分享了 ${what}`,
  sharedFiles: (name, summary) => `${name} 分享了 ${summary}`,
  download: '下载',
  downloadOne: (size) => `下载（${bytes(size)}）`,
  downloadAll: '全部下载为 ZIP',
  unshown: '请下载后打开此文件。',
  limited: '显示也会计为一次下载，因此这里不显示。',
  pdfUnshown: '此浏览器无法在页面中显示 PDF。',
  beginning: '这里只显示开头部分。要阅读全文，请下载文件。',
  pictures: '上一张和下一张',
  strip: '图片',
  previous: '上一张',
  next: '下一张',

  closed: {
    title: '找不到链接',
    heading: '此链接不存在或已过期',
    advice: '请检查链接是否完整，或向发送者索取新链接。',
  },
  missing: {
    title: '找不到',
    heading: '这里什么都没有',
    advice: '链接可能不完整，或者文件已不在这里。请向发送者索取新链接。',
  },
  expired: { title: '链接已过期', heading: '此链接已过期', advice: '请向发送者索取新链接。' },
  busy: { title: '请稍后再试', heading: '暂时无法开始更多下载', back: '返回文件列表' },
  taken: (until) => `其他访客正在下载，此链接目前不允许更多下载。请在 ${clock(until)} 再试。`,
  tooMany: { heading: '请求过多', advice: '您的网络目前发出的请求过多。请等待一分钟，然后重新加载此页面。' },
  unavailable: {
    heading: '暂时不可用',
    advice: '服务器繁忙，或无法访问数据。请等待一分钟，然后返回重试。',
  },
  failed: { heading: '出错了', advice: '请返回重试。如果再次出错，请联系链接的发送者。' },
  locked: { heading: '这些文件受密码保护', enter: '输入密码' },
  password: {
    lead: '此分享受密码保护。',
    label: '密码',
    open: '打开',
    wrong: '密码错误。',
    limited: '密码错误次数过多。请等待一分钟后再试。',
  },
  site: { heading: '此网站受密码保护', over: '此地址已无法打开该网站。' },
  chats: {
    read: '查看和下载分享的文件',
    both: '查看和下载分享的文件，并发送您的文件',
    write: '用于发送文件的表单',
  },

  refused: { title: '文件未发送', heading: '文件未能发送', again: '重试' },
  refusals: {
    'share-full': '此链接的剩余空间不足。',
    'type-not-accepted': '这里不接受此类型的文件。',
    'too-large': '超过了单个文件的大小限制。',
    'too-many': '一次发送的文件过多。',
    'no-space': '存储空间不足。请联系链接的发送者。',
    'share-not-found': '此链接已结束。',
    other: '服务器未接受。请稍后再试。',
  },
  box: {
    choose: '选择文件，或拖放到此处',
    send: '发送',
    away: '此链接目前不接收文件。请联系链接的发送者。',
    hasAll: '此链接已收满文件。',
    isFull: '正在发送的文件占用了此链接的剩余空间。请稍后再试。',
    any: (fileSize) => `可发送任意文件，每个不超过 ${bytes(fileSize)}。`,
    some: (amount, size, fileSize) => {
      const most = amount === undefined ? '可发送文件' : `最多还可发送 ${count(amount, file)}`
      return `${most}${size === undefined ? '' : `，总计不超过 ${bytes(size)}`}。每个文件不超过 ${bytes(fileSize)}。`
    },
    types: (types) => `接受的类型：${types}`,
    arrived: (name, amount) => `${name} 已收到您的${amount === 1 ? '文件' : ` ${count(amount, file)}`}`,
    received: (size) => `${bytes(size)}，已收到`,
    others: (amount) => `另有 ${number(amount)} 个`,
  },
  script: {
    file,
    remove: '移除',
    sending: '正在发送',
    arrived: '已收到',
    waiting: '正在等待连接…',
  },
})
