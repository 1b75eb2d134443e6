import { formatNumber, inLanguage } from '../language.ts'

/** Texts of the list of files that load with its page. */
export const browseTexts = inLanguage('browseTexts', {
  menuOf: (what: string) => `Actions for ${what}`,
  folderMenu: 'Actions for this folder',
  people: 'People…',
  keyForFolder: 'API key for this folder…',
  selectAll: 'Select all',
  uploadFiles: 'Upload files',

  /** Note about a list that is not loaded to its end. */
  sortedLater: 'Sorting applies once everything has loaded.',
  searchAll: 'Search all folders',
  newFiles: {
    label: 'Visibility of uploads',
    unknown: 'Default visibility',
    as: { private: 'Upload as private', public: 'Upload as public' },
  },
  emptyFolder: 'Empty',
  received: {
    title: (what: string) => `Upload ${what}`,
    lead: (folder: string) => `Shared by another app. They go to “${folder}”.`,
    upload: 'Upload',
    more: (count: number) => `and ${formatNumber(count)} more`,
  },
  paste: 'Paste',
  cut: 'Cut',
  copy: 'Copy',
  copying: (what: string) => `Copying ${what}`,
  copied: (what: string, where: string) => `Copied ${what} to ${where || 'Files'}`,
  notCopied: (what: string, reason: string) => `${what} couldn’t be copied: ${reason}`,
  movedBack: (what: string) => `Moved ${what} back`,
  renamed: (name: string) => `Renamed to “${name}”`,
  renamedBack: (name: string) => `Renamed back to “${name}”`,
  findFolder: 'Search all folders',
  noFolderMatches: 'No folder matches',
  clipboard: {
    copied: (what: string) => `${what} copied. Paste in another folder.`,
    cut: (what: string) => `${what} cut. Paste in another folder to move.`,
    picture: (now: Date, extension: string) =>
      `Pasted ${now.toLocaleDateString('sv')} ${now.toLocaleTimeString('sv').replaceAll(':', '.')}.${extension}`,
  },

  help: {
    title: 'Keyboard shortcuts',
    groups: {
      move: 'Move around',
      select: 'Select',
      change: 'Change',
    },
    keys: {
      arrows: 'Next or previous item',
      type: 'Jump to a name that begins with what you type',
      open: 'Open',
      parent: 'Folder above',
      search: 'Search this folder',
      searchAll: 'Search all files',
      menu: 'Show the menu',
      help: 'Show this list',
      toggle: 'Select or deselect',
      extend: 'Extend the selection',
      all: 'Select all',
      none: 'Clear the selection',
      rename: 'Rename',
      trash: 'Delete',
      delete: 'Delete for good',
      cut: 'Cut',
      copy: 'Copy',
      paste: 'Paste items, files or pictures',
      undo: 'Undo the last move, rename or move to trash',
    },
    keyNames: {
      arrows: '↑ ↓',
      letters: 'A–Z',
      enter: 'Enter',
      escape: 'Esc',
      space: 'Space',
      backspace: 'Backspace',
      delete: 'Del',
      menu: 'Menu',
    },
  },
})
