import type { Speech } from './speech.ts'

/** Number of files, and their size in bytes. */
export interface Sum {
  count: number
  size: number
}

export type PageTexts = ReturnType<typeof english>

const file = { one: 'file', other: 'files' }

/** Returns all words of the pages for visitors. `script` is what the script of a drop box says. */
export const english = ({ number, count, bytes, clock }: Speech) => ({
  shared: 'Shared files',
  sendFiles: 'Send files',
  sendTo: (name: string) => `Send files to ${name}`,
  back: 'Back',
  folder: 'Folder',
  more: 'More files',
  nothing: 'There are no files here now.',
  summary: (sum: Sum) => `${count(sum.count, file)}, ${bytes(sum.size)}`,
  sharedBy: (name: string) => `Shared by ${name}`,
  sharedFile: (name: string, what: string) => `${name} shared ${what}`,
  sharedFiles: (name: string, summary: string) => `${name} shared ${summary}`,
  download: 'Download',
  downloadOne: (size: number) => `Download (${bytes(size)})`,
  downloadAll: 'Download all as ZIP',
  unshown: 'This file opens after you download it.',
  limited: 'It counts as a download, so it is not shown here.',
  pdfUnshown: 'This browser shows no PDFs in a page.',
  beginning: 'Only the beginning is shown. Download the file to read all of it.',
  pictures: 'Previous and next',
  strip: 'Pictures',
  previous: 'Previous',
  next: 'Next',

  closed: {
    title: 'Link not found',
    heading: 'This link does not exist or has expired',
    advice: 'Check that the link is complete, or ask the sender for a new one.',
  },
  missing: {
    title: 'Not found',
    heading: 'There is nothing here',
    advice: 'The link may be incomplete, or the file is not here any more. Ask the sender for a new link.',
  },
  expired: {
    title: 'Link expired',
    heading: 'This link has expired',
    advice: 'Ask the sender for a new link.',
  },
  busy: { title: 'Try again soon', heading: 'No more downloads at once', back: 'Back to the files' },
  taken: (until: number) =>
    `Other visitors are downloading, and this link allows no more now. Try again at ${clock(until)}.`,
  tooMany: {
    heading: 'Too many requests',
    advice: 'Many requests come from your network now. Wait a minute, then load this page again.',
  },
  unavailable: {
    heading: 'Not available right now',
    advice: 'The server is busy, or cannot reach its data. Wait a minute, go back and try again.',
  },
  failed: {
    heading: 'Something went wrong',
    advice: 'Go back and try again. If it happens again, ask the sender of the link.',
  },
  locked: { heading: 'These files have a password', enter: 'Enter the password' },
  password: {
    lead: 'The sender protected this share with a password.',
    label: 'Password',
    open: 'Open',
    wrong: 'The password is wrong.',
    limited: 'Too many wrong passwords. Wait a minute and try again.',
  },
  site: { heading: 'This site has a password', over: 'This address no longer opens the site.' },
  chats: {
    read: 'View and download shared files',
    both: 'View and download shared files, and send yours',
    write: 'A form to send files',
  },

  refused: { title: 'Files not sent', heading: 'The files were not sent', again: 'Try again' },
  refusals: {
    'share-full': 'There is no room left for this in the link.',
    'type-not-accepted': 'Files of this type are not accepted here.',
    'too-large': 'This is larger than a file may be here.',
    'too-many': 'These are too many files at once.',
    'no-space': 'There is no space left for this. Ask the person who sent the link.',
    'share-not-found': 'This link has ended.',
    other: 'The server did not accept this. Try again later.',
  },
  box: {
    choose: 'Choose files, or drop them here',
    send: 'Send',
    away: 'This link is not accepting files right now. Ask the person who sent it.',
    hasAll: 'This link has received all the files it can take.',
    isFull: 'Files that are being sent take the last room of this link. Try again later.',
    any: (fileSize: number) => `Send any files, up to ${bytes(fileSize)} each.`,
    some: (amount: number | undefined, size: number | undefined, fileSize: number) => {
      const most =
        amount === undefined
          ? 'Send files'
          : `Send up to ${count(amount, { one: 'more file', other: 'more files' })}`
      return `${most}${size === undefined ? '' : `, ${bytes(size)} in total`}. Each file can be up to ${bytes(fileSize)}.`
    },
    types: (types: string) => `Accepted types: ${types}`,
    arrived: (name: string, amount: number) =>
      `${name} has your ${amount === 1 ? 'file' : count(amount, file)}`,
    received: (size: number) => `${bytes(size)}, received`,
    others: (amount: number) => `and ${number(amount)} more`,
  },
  script: {
    file,
    remove: 'Remove',
    sending: 'Sending',
    arrived: 'Arrived',
    waiting: 'Waiting for the connection…',
  },
})
