import { success } from '../../../api/envelope.ts'
import { BYTES, ZIP_ANSWER } from '../bytes.ts'
import type { Group } from '../described.ts'
import { FILE, FOLDER, SHA256 } from '../samples.ts'

const NO_FOLDER = 'Folder not found'
const BUSY = 'Too many long lists and archives are being read, try again soon'
const TAKEN = 'A folder named "photos" exists in this folder already'

export const FOLDERS: Group = {
  tag: 'Folders',
  description: 'Browse, create, change, move, download and unpack archives, delete.',
  operations: {
    'GET /api/folders': {
      id: 'browseFolder',
      summary: 'List what is in a folder',
      description:
        'Its files and its own folders, not those below them. The root without `id` and `key`. Limit, offset and order ' +
        'are those of the files; folders are always all there.',
      returns: {
        description: 'The files and the folders.',
        examples: { 'the root': success({ files: [FILE], folders: [FOLDER] }) },
      },
      refusals: { 404: [NO_FOLDER], 503: [BUSY] },
    },
    'GET /api/folders/checksums': {
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
    },
    'GET /api/folders/totals': {
      id: 'getFolderTotals',
      summary: 'Count what is below a folder',
      returns: {
        description: 'How many files and folders there are below it, and how many bytes the files have.',
        examples: { 'a folder': success({ files: 6, folders: 1, size: 1_468_006 }) },
      },
      refusals: { 404: [NO_FOLDER], 503: [BUSY] },
    },
    'POST /api/folders': {
      id: 'createFolder',
      summary: 'Create a folder',
      description: 'At a key; the folders above it are made when they are missing.',
      body: { folder: 'photos' },
      returns: { description: 'The new folder.', examples: { 'the folder': success({ folder: FOLDER }) } },
      refusals: { 409: ['The folder "photos" exists already'] },
    },
    'PUT /api/folders': {
      id: 'changeFolder',
      summary: 'Rename a folder, or change the visibility of all files in it',
      description:
        'A new name changes the keys of everything below. A visibility is given to every file in the folder and below ' +
        'it, at once; the folder has none of its own. The root takes a visibility but no name.',
      body: { id: FOLDER.id, name: 'pictures' },
      returns: {
        description: 'The folder as it is now.',
        examples: { 'the folder': success({ folder: { ...FOLDER, name: 'pictures', key: 'pictures' } }) },
      },
      refusals: { 400: ['"name" or "visibility" is required'], 404: [NO_FOLDER], 409: [TAKEN] },
    },
    'POST /api/folders/move': {
      id: 'moveFolder',
      summary: 'Move a folder',
      description:
        'Into the folder with the id `folderId`, or into the one at the key `folder`, which is made when it is missing ' +
        '(the empty key is the root). The keys of everything below change.',
      body: { id: FOLDER.id, folder: 'archive' },
      returns: {
        description: 'The folder as it is now.',
        examples: { 'the folder': success({ folder: { ...FOLDER, key: 'archive/photos' } }) },
      },
      refusals: { 400: ['"folderId" or "folder" is required'], 404: [NO_FOLDER], 409: [TAKEN] },
    },
    'DELETE /api/folders': {
      id: 'deleteFolder',
      summary: 'Delete a folder and everything below it',
      description: 'There is no way back. The root cannot be deleted.',
      body: { id: FOLDER.id },
      returns: { description: 'It is gone.', examples: { gone: success(null) } },
      refusals: { 404: [NO_FOLDER], 409: ['A folder in it is still being deleted: try again soon'] },
    },
    'GET /api/folders/download': {
      id: 'downloadFolder',
      summary: 'Download a folder as a ZIP archive',
      description:
        'With everything below it, private files too; the root without `id` and `key`. An archive has an exact length ' +
        'and no ranges. Files whose bytes are missing are left out.',
      responses: { 200: ZIP_ANSWER },
      refusals: { 404: [NO_FOLDER], 503: ['Too many archives are being prepared, try again soon'] },
    },
    'POST /api/folders/import': {
      id: 'importArchive',
      summary: 'Unpack a ZIP archive into a folder',
      description:
        'The body is the archive itself. Everything in it appears at once, or nothing does: a file that exists ' +
        'refuses all of it. Folders that exist are used.',
      stream: { required: true, content: { 'application/zip': BYTES } },
      returns: {
        description: 'The folder, and how many files and folders were made.',
        examples: { 'a website': success({ folder: FOLDER, files: 24, folders: 3 }) },
      },
      refusals: {
        400: ['The archive has "index.html" twice'],
        409: ['A file named "index.html" exists in this folder already'],
        413: ['An archive may have at most 10000 files and folders'],
      },
    },
  },
}
