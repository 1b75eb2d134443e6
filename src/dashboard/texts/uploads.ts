/** Texts of the upload panel, and of what it asks and reports. */
export const uploadTexts = {
  title: 'Uploads',
  taken: 'A file or folder with this name already exists here.',
  allCanceled: 'Uploads canceled',
  amount: (sent: string, size: string) => `${sent} of ${size}`,
  busy: (what: string, paused: number) =>
    `Uploading ${what}${paused > 0 ? `, ${paused.toLocaleString()} paused` : ''}`,
  cancel: (name: string) => `Cancel ${name}`,
  cancelAll: 'Cancel all',
  collapse: 'Hide the list',
  done: (what: string) => `${what} uploaded`,
  conflict: {
    title: (count: number, withFolder: boolean) => {
      if (withFolder)
        return count === 1 ? '1 name is taken here' : `${count.toLocaleString()} names are taken here`
      return count === 1 ? '1 file already exists here' : `${count.toLocaleString()} files already exist here`
    },
    folder: 'A folder',
    choiceOf: (name: string) => `Choice for ${name}`,
    choices: { skip: 'Skip', replace: 'Replace', 'keep-both': 'Keep both' },
    each: 'Decide for each file',
    more: (count: number) => `and ${count.toLocaleString()} more`,
    sizes: (existing: string, added: string) => `${existing} here, ${added} new`,
    skipAll: 'Skip all',
    text: (others: number, withFolder: boolean) =>
      [
        withFolder ? 'A file can’t replace a folder.' : '“Replace” keeps a file’s links.',
        '“Keep both” adds a number to the new name.',
        ...(others === 0 ? [] : ['“Skip” uploads only the others.']),
      ].join(' '),
    unchanged: (count: number) =>
      count === 1
        ? 'Skipped 1 file that hasn’t changed'
        : `Skipped ${count.toLocaleString()} files that haven’t changed`,
    upload: (what: string) => `Upload ${what}`,
  },
  dropInto: (folder: string) => `Drop to upload to ${folder || 'Files'}`,
  expand: 'Show the list',
  interrupted: 'Connection lost. Try again.',
  pause: (name: string) => `Pause ${name}`,
  pauseAll: 'Pause all',
  paused: (what: string) => `${what} paused`,
  pausedAt: (percent: string) => `Paused at ${percent}`,
  pausing: 'Pausing…',
  pausingText: (what: string) => `${what} will finish first`,
  othersDone: (count: number) => (count > 0 ? `${count} uploaded` : 'Nothing was uploaded'),
  remaining: (duration: string) => `${duration} left`,
  retry: (name: string) => `Try ${name} again`,
  retryAll: 'Retry failed',
  resume: (name: string) => `Resume ${name}`,
  resumeAll: 'Resume all',
  retrying: 'Interrupted. Resuming automatically…',
  signOut: 'Cancel and sign out',
  signOutText: 'Signing out cancels it. Finished work is kept.',
  signOutTitle: 'Work is still in progress',
  someFailed: (what: string) => `${what} failed`,
  states: {
    waiting: 'Waiting',
    sending: 'Sending',
    paused: 'Paused',
    done: 'Uploaded',
    failed: 'Failed',
    canceled: 'Canceled',
  },
  unfinished: {
    title: 'Unfinished uploads',
    amount: (sent: string, size: string) => `${sent} of ${size} uploaded`,
    choose: 'Choose file',
    chooseFor: (name: string) => `Choose file ${name} again`,
    discard: (name: string) => `Discard the upload of ${name}`,
    explanation: 'Choose the same file again to upload only the rest. Unfinished uploads are kept for a day.',
    headline: (what: string) => `Unfinished: ${what}`,
    other: (name: string) => `That’s a different file. Choose the original ${name}.`,
  },
  unreadable: 'Your browser couldn’t read the dropped files. Try fewer, or choose them instead.',
}
