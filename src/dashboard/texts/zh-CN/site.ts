import { formatNumber } from '../../language.ts'
import type { siteTexts as English } from '../site.ts'

export const siteTexts: typeof English = {
  title: (folder) => `“${folder}”的网站`,
  lead: '此文件夹的公开文件，以独立地址的网站显示。',
  create: '创建网站',
  created: '网站已创建',
  save: '保存',
  saved: '网站已保存',

  address: '地址',
  open: '打开网站',
  link: '免密码链接',
  linkText: (end) => `在 ${end} 之前无需密码即可打开网站。`,
  ends: (end) => `此预览将于 ${end} 结束，其文件夹随后移入回收站。`,

  name: '名称',
  nameHint: (address) => `地址将是 ${address}`,
  nameTitle: '请使用 1 到 63 个字符：a 到 z、0 到 9，中间可用单个连字符。',
  domains: '自有域名',
  domainsHint: '例如 www.example.org。多个域名以空格分隔。',
  password: '访客密码',
  askPassword: '要求访客输入密码',
  keepPassword: '留空则保留当前密码。',
  spa: '页面不存在时显示起始页',

  ownDomains: '域名',
  isReached: '已有访客到达',
  isAwaited: '自服务器启动以来还没有访客到达',
  dns: 'DNS 记录',
  dnsText: '不能使用 CNAME 的名称需要指向此服务器地址的 A 和 AAAA 记录。',
  proxy: 'Caddy',
  proxyText: '仅当 Caddy 位于此服务器前面时需要：请把“reverse_proxy”后的地址改为服务器的地址。',

  problems: '无效的行',
  problem: (file, line, message) =>
    line === 0 ? `${file}：${message}` : `${file} 第 ${formatNumber(line)} 行：${message}`,

  versions: '早期版本',
  replaced: (when) => `替换于 ${when}`,
  goBack: '恢复',
  goBackTo: (when) => `恢复到替换于 ${when} 的版本`,
  goBackTitle: '恢复到此版本？',
  goBackText: '访客会立即看到它。当前版本移入回收站。',
  wentBack: '早期版本已恢复',

  previews: '预览',
  until: (end) => `有效期至 ${end}`,

  misses: '未找到的页面',
  missesText: '访客在最近七天请求过这些页面。名为 _redirects 的文件中的规则可以把他们引到别处。',
  times: (count) => `${formatNumber(count)} 次`,
  all: (count) => `显示全部 ${formatNumber(count)} 个`,

  remove: '移除网站',
  removeTitle: (name) => `移除网站“${name}”？`,
  removeText: '其地址会立即失效。文件保留在原处。',
  removed: '网站已移除',
}
