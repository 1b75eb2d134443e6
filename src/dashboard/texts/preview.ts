import { formatNumber, inLanguage } from '../language.ts'

const UNPLAYED = {
  title: 'Your browser can’t play this file',
  text: 'Download it to play it with another program.',
}

/** Texts of the preview and of a file's details. They load with it. */
export const previewTexts = inLanguage('previewTexts', {
  place: (number: number, count: number) => `${formatNumber(number)} of ${formatNumber(count)}`,
  previous: 'Previous file',
  next: 'Next file',
  notFound: 'File not found',
  notFoundText: 'It may have been moved or deleted, or you may not have access.',
  /** Reasons for which a file is not shown, by its kind. */
  unshown: {
    picture: {
      title: 'This picture can’t be shown',
      text: 'It may be damaged, or in a format your browser doesn’t support. You can download it.',
    },
    video: UNPLAYED,
    audio: UNPLAYED,
    pdf: {
      title: 'This PDF can’t be shown',
      text: 'It may be damaged, or locked by a password. Download it to try another program.',
    },
    unknown: { title: 'No preview for this type', text: 'Download it to open it on your device.' },
  },
  large: 'This file is too large to show',
  largeText: (limit: string) =>
    `Its name doesn’t tell its type, and only files up to ${limit} are shown by their content. You can download it.`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  zoomed: (percent: number) => `${percent}%`,
  fit: (percent: number) => `Zoom ${percent}%: fit to the window`,
  empty: 'This file is empty',
  part: 'Part of the text',
  parts: { start: 'Beginning', end: 'End' },
  look: 'View',
  looks: {
    markdown: { rendered: 'Rendered', source: 'Source' },
    table: { rendered: 'Table', source: 'Source' },
  },
  wrap: 'Wrap lines',
  more: 'Show more',
  earlier: 'Show earlier lines',
  amount: (shown: string, size: string) => `Showing ${shown} of ${size}`,
  task: (isDone: boolean): string => (isDone ? 'Done' : 'To do'),
  remotePicture: 'External image',
  uploader: {
    title: 'Uploaded by',
    you: (name: string) => `${name} (you)`,
    gone: 'A deleted account',
    none: 'Found on disk',
  },
  photo: {
    title: 'Picture',
    taken: 'Taken',
    camera: 'Camera',
    lens: 'Lens',
    exposure: 'Exposure',
    dimensions: 'Dimensions',
    place: 'Location',
  },
})
