import { formatBytes } from '../../../platform/size.ts'

const plurals = new Intl.PluralRules('en')
const numbers = new Intl.NumberFormat('en')

/** Returns a count with its noun in singular or plural. */
const count = (amount: number, noun: { one: string; other: string }): string =>
  `${numbers.format(amount)} ${plurals.select(amount) === 'one' ? noun.one : noun.other}`

const files = (amount: number) => count(amount, { one: 'file', other: 'files' })

/** Number of files, and their size in bytes. */
export interface Sum {
  count: number
  size: number
}

/** All words of the pages for visitors of shares. `sending` is what the script of a drop box says. */
export const pageTexts = {
  shared: 'Shared files',
  sendFiles: 'Send files',
  sendTo: (name: string) => `Send files to ${name}`,
  back: 'Back',
  folder: 'Folder',
  more: 'More files',
  nothing: 'There are no files here now.',
  summary: ({ count, size }: Sum) => `${files(count)}, ${formatBytes(size)}`,
  sharedBy: (name: string) => `Shared by ${name}`,
  sharedFile: (name: string, file: string) => `${name} shared ${file}`,
  sharedFiles: (name: string, summary: string) => `${name} shared ${summary}`,
  download: 'Download',
  downloadOne: (size: number) => `Download (${formatBytes(size)})`,
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
  busy: { title: 'Try again soon', heading: 'No more downloads at once', back: 'Back to the files' },
  locked: { heading: 'These files have a password', enter: 'Enter the password' },
  password: {
    lead: 'The sender protected this share with a password.',
    label: 'Password',
    open: 'Open',
    wrong: 'The password is wrong.',
    limited: 'Too many wrong passwords. Wait a minute and try again.',
  },
  refused: { title: 'Files not sent', heading: 'The files were not sent', again: 'Try again' },
  chats: {
    read: 'View and download shared files',
    both: 'View and download shared files, and send yours',
    write: 'A form to send files',
  },

  box: {
    choose: 'Files to send',
    send: 'Send',
    away: 'This link is not accepting files right now. Ask the person who sent it.',
    hasAll: 'This link has received all the files it can take.',
    isFull: 'Files that are being sent take the last room of this link. Try again later.',
    any: (fileSize: number) => `Send any files, up to ${formatBytes(fileSize)} each.`,
    some: (amount: number | undefined, size: number | undefined, fileSize: number) => {
      const most =
        amount === undefined
          ? 'Send files'
          : `Send up to ${count(amount, { one: 'more file', other: 'more files' })}`
      return `${most}${size === undefined ? '' : `, ${formatBytes(size)} in total`}. Each file can be up to ${formatBytes(fileSize)}.`
    },
    types: (types: string) => `Accepted types: ${types}`,
    arrived: (name: string, amount: number) => `${name} has your ${amount === 1 ? 'file' : files(amount)}`,
    received: (size: number) => `${formatBytes(size)}, received`,
    others: (amount: number) => `and ${numbers.format(amount)} more`,
  },
}
