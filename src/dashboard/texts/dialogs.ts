import { inLanguage } from '../language.ts'

const inBrackets = (text: string) => (text === '' ? '' : ` (${text})`)

/** Texts of the dialogs about files, and of their details. */
export const dialogTexts = inLanguage('dialogTexts', {
  counting: 'Counting what this deletes…',
  deleteTitle: (what: string) => `Delete ${what} for good?`,
  expires: (moment: string, left: string) => `Expires in ${left} (${moment}).`,
  extensionText: 'Another extension changes the file’s type, and apps may no longer open it.',
  extensionTitle: (name: string) => `Rename to “${name}”?`,
  facts: {
    added: 'Added',
    changed: 'Changed',
    checksum: 'SHA-256',
    folder: 'Folder',
    size: 'Size',
    traffic: 'Traffic, last 30 days',
    type: 'Type',
    visibility: 'Visibility',
  },
  folderName: 'Name',
  lifetime: 'Expires after',
  loss: {
    files: (count: number, what: string, size: string) =>
      count === 1
        ? `This deletes the file${inBrackets(size)}. Links to it will stop working. You can’t undo this.`
        : `This deletes ${what}${inBrackets(size)}. Links to them will stop working. You can’t undo this.`,
    folder: (what: string, size: string) =>
      what === ''
        ? 'This deletes the folder. It is empty.'
        : `This deletes the folder and its ${what}${inBrackets(size)}. Links to them will stop working. You can’t undo this.`,
    mixed: (what: string, size: string) =>
      `This deletes ${what}${inBrackets(size)}, counting everything in the folders. Links to them will stop working. You can’t undo this.`,
    uncounted: (what: string) =>
      `This deletes ${what}, with everything in the folders. Links to the files will stop working. You can’t undo this.`,
  },
  makeLink: 'Create link',
  moveTitle: (what: string) => `Move ${what}`,
  moveTo: (where: string) => `Move to ${where}`,
  noFolders: 'No folders in here.',
  noTraffic: 'No requests',
  plainLink: 'Link',
  plainLinkIs: {
    public: 'Anyone with this link can open the file.',
    private: 'This file is private: the link only opens for signed-in users.',
  },
  signedLink: 'Expiring link',
  signedLinkText: 'Anyone with this link can open the file until it expires. You can’t revoke it early.',
  traffic: (requests: string, bytes: string) => `${requests}, ${bytes} sent`,
  trafficLabel: 'Requests a day',
  versions: {
    delete: 'Delete for good',
    deleted: 'Deleted the version for good',
    deleteOf: (when: string) => `Delete the version of ${when} for good`,
    deleteText: (when: string) => `This deletes the version of ${when}. The file itself stays as it is.`,
    deleteTitle: 'Delete this version for good?',
    download: (when: string) => `Download the version of ${when}`,
    facts: (size: string, when: string) => `${size}, replaced ${when}`,
    restore: (when: string) => `Restore the version of ${when}`,
    restored: (when: string) => `Restored the version of ${when}. The previous one is kept as a version.`,
    title: 'Earlier versions',
  },
  visibilityText:
    'Every file in the selected folders and below changes. Plain links to files that become private stop working for the public.',
  visibilityTitle: (visibility: string) => `Make everything ${visibility}?`,
})
