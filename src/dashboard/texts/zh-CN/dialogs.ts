import type { dialogTexts as English } from '../dialogs.ts'

const inBrackets = (text: string) => (text === '' ? '' : `（${text}）`)

export const dialogTexts: typeof English = {
  counting: '正在统计将要删除的内容…',
  deleteTitle: (what) => `要永久删除 ${what} 吗？`,
  expires: (moment, left) => `${left}后过期（${moment}）。`,
  extensionText: '更改扩展名会改变文件类型，应用可能无法再打开它。',
  extensionTitle: (name) => `要重命名为“${name}”吗？`,
  facts: {
    added: '添加时间',
    changed: '修改时间',
    checksum: 'SHA-256',
    folder: '文件夹',
    size: '大小',
    traffic: '流量，最近 30 天',
    type: '类型',
    visibility: '可见性',
  },
  folderName: '名称',
  lifetime: '有效期',
  loss: {
    files: (count, what, size) =>
      count === 1
        ? `将删除此文件${inBrackets(size)}。指向它的链接将失效。此操作无法撤销。`
        : `将删除 ${what}${inBrackets(size)}。指向它们的链接将失效。此操作无法撤销。`,
    folder: (what, size) =>
      what === ''
        ? '将删除此文件夹。它是空的。'
        : `将删除此文件夹及其中的 ${what}${inBrackets(size)}。指向它们的链接将失效。此操作无法撤销。`,
    mixed: (what, size) =>
      `将删除 ${what}${inBrackets(size)}，包括文件夹中的所有内容。相关链接将失效。此操作无法撤销。`,
    uncounted: (what) => `将删除 ${what}，包括文件夹中的所有内容。指向这些文件的链接将失效。此操作无法撤销。`,
  },
  makeLink: '创建链接',
  moveTitle: (what) => `移动 ${what}`,
  moveTo: (where) => `移动到 ${where}`,
  noFolders: '此处没有文件夹。',
  noTraffic: '没有请求',
  plainLink: '链接',
  plainLinkIs: {
    public: '知道此链接的任何人都可以打开该文件。',
    private: '此文件是私密的：只有已登录的用户才能打开该链接。',
  },
  signedLink: '限时链接',
  signedLinkText: '在过期之前，知道此链接的任何人都可以打开该文件。无法提前撤销。',
  traffic: (requests, bytes) => `${requests}，已发送 ${bytes}`,
  trafficLabel: '每日请求',
  versions: {
    delete: '永久删除',
    deleted: '已永久删除该版本',
    deleteOf: (when) => `永久删除 ${when} 的版本`,
    deleteText: (when) => `将删除 ${when} 的版本。文件本身保持不变。`,
    deleteTitle: '要永久删除此版本吗？',
    download: (when) => `下载 ${when} 的版本`,
    facts: (size, when) => `${size}，${when}被替换`,
    restore: (when) => `还原 ${when} 的版本`,
    restored: (when) => `已还原 ${when} 的版本。之前的内容已保留为历史版本。`,
    title: '历史版本',
  },
  visibilityText: '所选文件夹及其下的所有文件都会更改。变为私密的文件，其普通链接将对公众失效。',
  visibilityTitle: (visibility) => `要将全部内容设为${visibility}吗？`,
}
