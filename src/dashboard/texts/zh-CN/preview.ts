import { formatNumber } from '../../language.ts'
import type { previewTexts as English } from '../preview.ts'

const UNPLAYED = {
  title: '您的浏览器无法播放此文件',
  text: '请下载后用其他程序播放。',
}

export const previewTexts: typeof English = {
  place: (number, count) => `第 ${formatNumber(number)} 个，共 ${formatNumber(count)} 个`,
  previous: '上一个文件',
  next: '下一个文件',
  notFound: '找不到文件',
  notFoundText: '它可能已被移动或删除，或者您没有访问权限。',
  unshown: {
    picture: {
      title: '无法显示此图片',
      text: '它可能已损坏，或者浏览器不支持其格式。您可以下载它。',
    },
    video: UNPLAYED,
    audio: UNPLAYED,
    pdf: {
      title: '无法显示此 PDF',
      text: '它可能已损坏或受密码保护。请下载后用其他程序打开。',
    },
    unknown: { title: '此类型没有预览', text: '请下载后在您的设备上打开。' },
  },
  large: '此文件太大，无法显示',
  largeText: (limit) => `文件名未表明类型，只有不超过 ${limit} 的文件才会根据内容显示。您可以下载它。`,
  zoomIn: '放大',
  zoomOut: '缩小',
  zoomed: (percent) => `${percent}%`,
  fit: (percent) => `缩放 ${percent}%：适应窗口`,
  empty: '此文件为空',
  part: '文本部分',
  parts: { start: '开头', end: '结尾' },
  look: '视图',
  looks: {
    markdown: { rendered: '预览', source: '源代码' },
    table: { rendered: '表格', source: '源代码' },
  },
  wrap: '自动换行',
  more: '显示更多',
  earlier: '显示前面的行',
  amount: (shown, size) => `已显示 ${shown}，共 ${size}`,
  task: (isDone) => (isDone ? '已完成' : '待办'),
  remotePicture: '外部图片',
  uploader: {
    title: '上传者',
    you: (name) => `${name}（您）`,
    gone: '已删除的账户',
    none: '在磁盘上发现',
  },
  photo: {
    title: '图片',
    taken: '拍摄时间',
    camera: '相机',
    lens: '镜头',
    exposure: '曝光',
    dimensions: '尺寸',
    place: '位置',
  },
}
