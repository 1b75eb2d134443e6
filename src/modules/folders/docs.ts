import { success } from '../../api/envelope.ts'
import { documented } from '../../api/openapi/described.ts'
import { FILE, FOLDER, SHA256 } from '../../api/openapi/samples.ts'

const NO_FOLDER = 'Folder not found'

const BUSY = 'Too many long lists and archives are being read, try again soon'

const TAKEN = 'A folder named "photos" exists in this folder already'

/** `GET /api/folders` */
export const browseFolder = documented('Folders', {
  id: 'browseFolder',
  summary: 'List the contents of a folder',
  description:
    'Its files and its own folders, not those below them. The root without `id` and `key`. Limit, offset and order ' +
    'are those of the files; folders are always all there.',
  returns: {
    description: 'The files and the folders.',
    examples: { 'the root': success({ files: [FILE], folders: [FOLDER] }) },
  },
  refusals: { 404: [NO_FOLDER], 503: [BUSY] },
})

/** `GET /api/folders/checksums` */
export const listChecksums = documented('Folders', {
  id: 'listChecksums',
  summary: 'List the checksums of all files below a folder',
  description:
    'For those who keep a copy. The root without `id` and `key`. A long list is sent as it is read.',
  returns: {
    description: 'The files in the folder and below it.',
    examples: {
      'one file': success({
        files: [{ id: FILE.id, key: FILE.key, size: FILE.size, sha256: SHA256, visibility: 'public' }],
      }),
    },
  },
  refusals: { 404: [NO_FOLDER], 503: [BUSY] },
})

/** `GET /api/folders/totals` */
export const getFolderTotals = documented('Folders', {
  id: 'getFolderTotals',
  summary: 'Count the files and folders below a folder',
  returns: {
    description: 'Number of files and folders below it, and the size of the files in bytes.',
    examples: { 'a folder': success({ files: 6, folders: 1, size: 1_468_006 }) },
  },
  refusals: { 404: [NO_FOLDER], 503: [BUSY] },
})

/** `POST /api/folders` */
export const createFolder = documented('Folders', {
  id: 'createFolder',
  summary: 'Create a folder',
  description: 'At a key; missing folders above it are created.',
  body: { folder: 'photos' },
  returns: { description: 'The new folder.', examples: { 'the folder': success({ folder: FOLDER }) } },
  refusals: { 409: ['The folder "photos" exists already'] },
})

/** `PUT /api/folders` */
export const changeFolder = documented('Folders', {
  id: 'changeFolder',
  summary: 'Rename a folder, or change the visibility of all files in it',
  description:
    'A new name changes the keys of everything below. A visibility is given to every file in the folder and below ' +
    'it, at once; the folder has none of its own. The root takes a visibility but no name.',
  body: { id: FOLDER.id, name: 'pictures' },
  returns: {
    description: 'The changed folder.',
    examples: { 'the folder': success({ folder: { ...FOLDER, name: 'pictures', key: 'pictures' } }) },
  },
  refusals: { 400: ['"name" or "visibility" is required'], 404: [NO_FOLDER], 409: [TAKEN] },
})

/** `POST /api/folders/move` */
export const moveFolder = documented('Folders', {
  id: 'moveFolder',
  summary: 'Move a folder',
  description:
    'Into the folder with the id `folderId`, or into the one at the key `folder`, which is made when it is missing ' +
    '(the empty key is the root). The keys of everything below change.',
  body: { id: FOLDER.id, folder: 'archive' },
  returns: {
    description: 'The changed folder.',
    examples: { 'the folder': success({ folder: { ...FOLDER, key: 'archive/photos' } }) },
  },
  refusals: { 400: ['"folderId" or "folder" is required'], 404: [NO_FOLDER], 409: [TAKEN] },
})

/** `DELETE /api/folders` */
export const deleteFolder = documented('Folders', {
  id: 'deleteFolder',
  summary: 'Delete a folder and everything below it',
  description: 'Cannot be undone. The root cannot be deleted.',
  body: { id: FOLDER.id },
  returns: { description: 'Deleted.', examples: { gone: success(null) } },
  refusals: { 404: [NO_FOLDER], 409: ['A folder in it is still being deleted: try again soon'] },
})
