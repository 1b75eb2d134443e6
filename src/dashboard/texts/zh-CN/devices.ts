import type { deviceTexts as English } from '../devices.ts'

export const deviceTexts: typeof English = {
  title: '批准程序',
  lead: '请输入程序显示的代码。',
  code: '代码',
  next: '继续',
  unknown: '没有程序在等待此代码。请检查代码或重新开始：代码有效期为 10 分钟。',
  asks: (name) => `${name} 请求访问`,
  compare: '仅当程序由您本人启动并显示此代码时才批准：',
  able: (scopes, email) => `它将获得 ${email} 的 API 密钥，可以${scopes}。您可以随时在“API 密钥”中删除它。`,
  from: (address) => `请求来自 ${address}。`,
  approve: '批准',
  deny: '拒绝',
  approved: (name) => `${name} 已登录`,
  approvedText: '您可以关闭此页面。',
  denied: '已拒绝',
  deniedText: '该程序未获得访问权限。如果不是您启动的，可能有人想借此链接获取您的文件。',
  home: '前往 Holdfast',
}
