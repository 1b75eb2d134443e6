import { formatNumber } from '../../language.ts'
import type { conflictTexts as English } from '../conflicts.ts'

export const conflictTexts: typeof English = {
  title: (count, what) => {
    if (what === 'chosen') return '多个文件同名'
    return what === 'any' ? `${formatNumber(count)} 个名称已被占用` : `${formatNumber(count)} 个文件已存在`
  },
  folder: '此处的文件夹',
  here: (size) => `此处 ${size}`,
  chosen: (size) => `先前选择的 ${size}`,
  choiceOf: (name) => `${name} 的处理方式`,
  choices: { skip: '跳过', replace: '替换', 'keep-both': '保留两者' },
  each: '逐个决定',
  more: (count) => `以及另外 ${formatNumber(count)} 个`,
  sizes: (existing, added) => `${existing}，新文件 ${added}`,
  skipAll: '全部跳过',
  text: (others, what, kept) =>
    [
      ...(what === 'any' ? ['只能替换此处已有的文件。'] : []),
      ...(what === 'files' ? ['“替换”会保留文件的链接。'] : []),
      ...(what !== 'files' || kept === undefined ? [] : [`旧版本会保留${kept}。`]),
      '“保留两者”会在新名称后加上数字。',
      ...(others === 0 ? [] : ['“跳过”只上传其余文件。']),
    ].join(''),
  unchanged: (count) => `已跳过 ${formatNumber(count)} 个未更改的文件`,
  upload: (what) => `上传${what}`,
}
