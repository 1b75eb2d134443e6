import { inLanguage } from '../language.ts'

/** Texts of the search over all files. */
export const searchTexts = inLanguage('searchTexts', {
  title: 'Search all files',
  placeholder: 'Search files, folders and commands',
  results: 'Results',
  newest: 'Recently added',
  added: 'Added',
  favorites: {
    none: 'No favorites yet',
    how: 'Choose “Add to favorites” in the menu of a file or folder, or press * on it.',
  },
  none: 'Nothing matches',
  noneYet: 'Nothing yet. Keep typing.',
  kind: 'Type',
  folders: 'Folders',
  moreFolders: (count: number) => `${count} more`,
  sideWidth: 'Width of the navigation',
  visibility: 'Visibility',
  anyVisibility: 'Public and private',
  uploader: 'Uploaded by',
  anyone: 'Uploaded by anyone',
  me: 'Uploaded by me',
  by: (name: string) => `Uploaded by ${name}`,
  place: 'Location',
  everywhere: 'Everywhere',
  within: (folder: string) => `In ${folder}`,
  found: (count: number, hasMore: boolean) =>
    hasMore ? `Top ${count} results. Keep typing to narrow them down.` : `${count} found`,
  keys: '↑ ↓ to choose, Enter to open',
  forCommands: '> for commands',
  commands: 'Commands',
  goTo: 'Go to',
})
