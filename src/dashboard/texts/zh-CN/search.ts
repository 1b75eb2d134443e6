import type { searchTexts as English } from '../search.ts'

export const searchTexts: typeof English = {
  title: '搜索所有文件',
  placeholder: '搜索文件和文件夹',
  results: '结果',
  newest: '最近添加',
  none: '没有匹配项',
  noneYet: '暂无结果，请继续输入。',
  kind: '类型',
  folders: '文件夹',
  visibility: '可见性',
  anyVisibility: '公开和私密',
  uploader: '上传者',
  anyone: '任何人上传',
  me: '我上传的',
  by: (name) => `${name} 上传的`,
  place: '位置',
  everywhere: '所有位置',
  within: (folder) => `位于 ${folder}`,
  found: (count, hasMore) => (hasMore ? `前 ${count} 个结果。继续输入可缩小范围。` : `找到 ${count} 个`),
  keys: '↑ ↓ 选择，Enter 打开',
}
