import type { OrderName } from '../views/orders.ts'
import { formatCount, formatNumber, inLanguage } from './language.ts'
import { trashTexts } from './texts/trash.ts'
import { uploadTexts } from './texts/uploads.ts'

const secondsOf = (count: number) => formatCount(count, { one: 'second', other: 'seconds' })

/** Texts that a first visit needs. Those of `texts/` load with their pages. */
export const texts = inLanguage('texts', {
  /** Letter of the unit of sizes, after a prefix such as `Ki`. */
  byte: 'B',
  justNow: 'just now',
  loading: 'Loading',
  notifications: 'Notifications',
  signOut: 'Sign out',
  today: 'Today',
  yesterday: 'Yesterday',

  actions: {
    cancel: 'Cancel',
    close: 'Close',
    copied: 'Copied',
    copy: 'Copy',
    done: 'Done',
    retry: 'Try again',
  },

  nouns: {
    file: { one: 'file', other: 'files' },
    item: { one: 'item', other: 'items' },
    folder: { one: 'folder', other: 'folders' },
    request: { one: 'request', other: 'requests' },
    day: { one: 'day', other: 'days' },
    entry: { one: 'entry', other: 'entries' },
    miss: { one: 'miss', other: 'misses' },
    upload: { one: 'upload', other: 'uploads' },
    delete: { one: 'deletion', other: 'deletions' },
    change: { one: 'change', other: 'changes' },
    device: { one: 'device', other: 'devices' },
    download: { one: 'download', other: 'downloads' },
  },

  unitOf: (label: string) => `${label}: unit`,

  lifetime: 'Expires',
  lifetimes: {
    1: 'In a day',
    7: 'In 7 days',
    30: 'In 30 days',
    90: 'In 90 days',
    365: 'In a year',
    day: 'On a date',
    never: 'Never',
  },
  lastDay: 'Last day',
  worksUntil: (moment: string) => `Expires ${moment}.`,

  pages: {
    files: 'Files',
    recent: 'Recent',
    favorites: 'Favorites',
    shares: 'Shares',
    trash: 'Trash',
    overview: 'Overview',
    activity: 'Activity',
    security: 'Security log',
    settings: 'Settings',
    keys: 'API keys',
    users: 'Users',
    account: 'Account',
  },
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  visibility: { public: 'Public', private: 'Private' },

  trash: trashTexts,

  frame: {
    menu: 'Menu',
    navigation: 'Pages',
    search: 'Search',
    skip: 'Skip to content',
    theme: 'Appearance',
    docs: 'Documentation',
    apiDocs: 'API reference',
  },

  account: {
    email: 'E-mail',
    name: 'Name',
    password: 'Password',
    passwordHint: 'At least 8 characters.',
    showPassword: 'Show password',
    hidePassword: 'Hide password',
  },

  fieldProblems: {
    missing: 'Fill this in.',
    email: 'Enter an e-mail address, such as ada@example.com.',
    short: (length: number) => `Use at least ${length} characters.`,
  },

  signIn: {
    title: 'Sign in',
    lead: 'Your files are where you left them.',
    paused: 'Uploads are paused: sign in to continue.',
    remember: 'Stay signed in on this device',
    submit: 'Sign in',
    disabled: 'This account is disabled. Ask an admin.',
    wrong: 'The e-mail or password is wrong.',
    dropped: (isHttp: boolean) =>
      `Your browser didn’t keep the sign-in. ${isHttp ? 'Open the https address of this server' : 'Allow cookies here'}, and try again.`,
    lost: 'Lost your password?',
    lostMember: 'Ask an admin of this server. They can give you a new one on the Users page.',
    lostAdmin: 'Are you the only admin? Stop the server and run this on its machine, from source:',
    lostBinary: 'Or with the binary:',
  },

  addressNotice: {
    title: 'This server isn’t set up for this address',
    text: (origin: string) =>
      `It refuses changes from ${origin}. Set this line in its environment and restart it:`,
    line: 'Line to set',
    elsewhere: 'If BASE_URL is set already, open the dashboard at that address.',
  },

  notFound: {
    title: 'Not found',
    lead: 'This page doesn’t exist',
    text: 'It may have been moved, or you may not have access.',
    home: 'Go to the start page',
    folder: 'Folder not found',
    files: 'Go to your files',
  },

  errors: {
    title: 'Something went wrong',
    chunk: 'This page couldn’t be loaded. Try again, or reload if Holdfast was updated.',
    commonPassword: 'That’s a very common password. Choose another one.',
    copy: 'Your browser didn’t allow copying. Select the text and copy it yourself.',
    disk: (code: string) => `The server’s disk refused this (${code}). Ask an admin.`,
    forbidden: 'Your account doesn’t have permission to do this. Ask an admin.',
    full: 'The server’s disk is full. Ask an admin.',
    origin: (origin: string) =>
      `This server isn’t set up for ${origin}. Set BASE_URL=${origin} and restart it.`,
    names: {
      taken: (name: string) => `“${name}” already exists in this folder.`,
      signs: 'A name can’t contain “/”, “\\” or line breaks.',
      dots: 'A name can’t be “.” or “..”.',
      long: 'This name is too long.',
    },
    signedOut: 'Your session has ended. Sign in again.',
    manyFavorites: (most: string) => `You have ${most} favorites already. Remove some first.`,
    gone: 'It isn’t there any more.',
    tooLarge: (most: string) => `The file is larger than the maximum of ${most}.`,
    tooMany: (seconds: number) =>
      `There were too many requests in a minute. Try again in ${secondsOf(seconds)}.`,
    offline: 'The server can’t be reached. Reconnecting automatically…',
    tooManyTitle: 'Too many requests',
    tooManyRetry: (seconds: number) =>
      `The server limits requests per minute. This page loads again in ${secondsOf(seconds)}.`,
    unexpected: 'Something went wrong on the server. If it keeps happening, check its log.',
    unreachable: 'The server can’t be reached. Check your connection and try again.',
  },

  kinds: {
    all: 'All types',
    image: 'Images',
    video: 'Videos',
    audio: 'Audio',
    document: 'Documents',
    archive: 'Archives',
    code: 'Code and data',
    other: 'Other',
  },

  files: {
    root: 'Files',
    yours: 'Your folders',
    notLetIn: 'No folders yet',
    askToBeLetIn: (admin = 'an admin of this server') => `Ask ${admin} to let you into a folder.`,
    noneToShare: 'You may not share all of these',
    folder: 'Folder',
    actions: 'Actions',
    actionsOf: (name: string) => `Actions for ${name}`,
    breadcrumb: 'Folders above',
    clearSelection: 'Clear selection',
    columns: { name: 'Name', size: 'Size', updatedAt: 'Changed', visibility: 'Visibility' },
    contents: 'Files and folders',
    copyLink: 'Copy link',
    create: 'Create folder',
    curlLabel: 'Command that uploads a file',
    delete: 'Delete',
    deleted: (what: string) => `Deleted ${what} for good`,
    deleteForGood: 'Delete for good',
    deleting: (what: string) => `Deleting ${what} for good`,
    details: 'Details',
    download: 'Download',
    downloadFailed: 'The download didn’t start. Try again.',
    severalDownloads: (count: number) =>
      `${count} downloads started, one for each folder. Your browser may ask whether to allow several.`,
    tooManyToDownload: (most: number, count: number) =>
      `You selected ${formatNumber(count)} files, but an archive holds at most ${formatNumber(most)}. Select fewer, or everything in the folder.`,
    dropHere: 'Drop files or folders anywhere in this window, or choose them.',
    empty: 'Nothing here yet',
    emptyFolder: 'This folder is empty',
    first: 'Upload your first file',
    grid: 'Grid',
    kind: 'Type',
    layout: 'Layout',
    linkCopied: 'Link copied',
    list: 'List',
    loadRest: 'Load the rest',
    loadingMore: (shown: string) => `${shown} so far, more is coming…`,
    makePrivate: 'Make private',
    makePublic: 'Make public',
    move: 'Move',
    moving: (what: string) => `Moving ${what}`,
    moved: (what: string, where: string) => `Moved ${what} to ${where || 'Files'}`,
    new: 'New',
    newFolder: 'New folder',
    newName: (name: string) => `New name of ${name}`,
    noMatch: 'Nothing in this folder matches',
    order: 'Order',
    orders: {
      'name-ASC': 'Name, A to Z',
      'name-DESC': 'Name, Z to A',
      'updatedAt-DESC': 'Newest first',
      'updatedAt-ASC': 'Oldest first',
      'size-DESC': 'Largest first',
      'size-ASC': 'Smallest first',
    } satisfies Record<OrderName, string>,
    makeKey: 'Create a key',
    orCurl: 'Or from a terminal, with an API key in $KEY.',
    pdfPage: (number: number, count: number) => `Page ${number} of ${count}`,
    preview: 'Open',
    privateLinkCopied: 'Link copied. The file is private, so the link only opens for users.',
    quoted: (name: string) => `“${name}”`,
    rename: 'Rename',
    replace: 'Replace',
    requestFiles: 'Request files',
    search: 'Search this folder',
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all',
    selected: (what: string) => `${what} selected`,
    selection: 'Selection',
    share: 'Share',
    notDeleted: (what: string, reason: string) => `${what} couldn’t be deleted: ${reason}`,
    settingVisibility: (what: string, visibility: string) => `Making ${what} ${visibility}`,
    someNotMoved: (what: string, reason: string) => `${what} couldn’t be moved: ${reason}`,
    upload: 'Upload',
    uploadFolder: 'Upload folder',
    visibilityFailed: (what: string, reason: string) => `${what} couldn’t be changed: ${reason}`,
    visibilitySet: (what: string, visibility: string) => `${what} now ${visibility}`,
  },

  bulk: {
    canceled: (done: string, left: number) => {
      const others =
        left === 1
          ? 'the other item stays as it was'
          : `the other ${formatNumber(left)} items stay as they were`
      return done === '' ? 'Canceled. Nothing changed.' : `${done}. Canceled: ${others}.`
    },
    ending: (progress: string) => (progress === '' ? 'Stopping…' : `${progress} · Stopping…`),
    progress: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)}`,
    waiting: (seconds: number) => `The server limits requests per minute. Resuming in ${secondsOf(seconds)}.`,
  },

  uploads: uploadTexts,
})
