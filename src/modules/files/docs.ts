import { COPY, DELETE, READ, WRITE } from '../../access/plugin.ts'
import { route } from '../../access/route.ts'
import {
  BYTES,
  downloadAnswers,
  ETAG,
  FILE_ID,
  filesForm,
  RANGE_REQUEST,
  WRITE_CONDITIONS,
} from '../../api/openapi/bytes.ts'
import { FILE, FOLDER, OTHER_ID } from '../../api/openapi/samples.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import { FileAnswer } from '../../views/files.ts'
import {
  BatchAnswer,
  CanceledBody,
  ChangeBody,
  ContentQuery,
  CopiedAnswer,
  DeleteBody,
  DeletedAnswer,
  DetailsAnswer,
  DetailsQuery,
  FileOrFilesAnswer,
  FileQuery,
  LifetimesAnswer,
  LinkAnswer,
  MoveBody,
  MovedAnswer,
  SelectionInto,
  SignBody,
  UploadedAnswer,
  VisibilityBody,
} from './model.ts'

const NO_FILE = 'File not found'

const TAKEN = `A file named "${FILE.name}" exists in this folder already`

const FAILED = [{ id: OTHER_ID, message: NO_FILE }]

const MOVED = { ...FILE, key: 'archive/harbour.jpg', url: 'api/hosting/archive/harbour.jpg' }

/** `GET /api/files` */
export const listFiles = route('Files', READ, {
  id: 'listFiles',
  summary: 'List files, or get one',
  description:
    'Returns one `file` for an `id` or `key`, or the `files` with exactly that `name` in any folder. Without these ' +
    'it returns all files. Long lists are streamed.',
  query: FileQuery,
  answer: FileOrFilesAnswer,
  facts: { isCompressed: true },
  returns: {
    description: 'The file, or the files.',
    examples: { 'a list': success({ files: [FILE] }), 'one file': success({ file: FILE }) },
  },
  refusals: {
    404: [NO_FILE],
    503: ['Too many long lists and archives are being read, try again soon'],
  },
})

/** `POST /api/files` */
export const uploadFiles = route('Files', WRITE, {
  id: 'uploadFiles',
  summary: 'Upload files',
  description:
    'Stores every file of a form in one folder, or none. The files appear once the whole form has arrived. ' +
    'Their names come from the form; file parts may have any field name.',
  stream: filesForm(
    {
      folder: {
        type: 'string',
        description: 'Key of the folder; missing ones are created. The root if omitted.',
      },
      visibility: {
        enum: ['public', 'private'],
        description:
          'Visibility of every file. If omitted, new files have the instance’s default, and replaced ones retain theirs.',
      },
      onConflict: {
        enum: ['fail', 'replace', 'rename', 'skip'],
        description:
          'For a taken name: refuse the upload (default), replace the bytes of that file, store the new one ' +
          'as `name (2)`, or leave it out and name it in `skipped`.',
      },
    },
    { folder: FOLDER.key, visibility: 'public' },
  ),
  answer: UploadedAnswer,
  returns: 'The stored files, in the order in which they were sent.',
  refusals: {
    400: ['The upload has no file', 'The file name "harbour.jpg" is sent twice'],
    404: ['Folder not found'],
    409: [TAKEN],
    413: ['A file is larger than the maximum upload size of 5368709120 bytes'],
  },
})

/** `PUT /api/files` */
export const changeFile = route('Files', WRITE, {
  id: 'changeFile',
  summary: 'Rename a file or change its visibility',
  description: 'A new name is a new key: links to the old one, signed ones too, stop working.',
  example: { id: FILE.id, name: 'harbour at dawn.jpg', visibility: 'private' },
  takes: ChangeBody,
  answer: FileAnswer,
  returns: {
    description: 'The changed file.',
    data: {
      file: {
        name: 'harbour at dawn.jpg',
        key: 'photos/harbour at dawn.jpg',
        url: 'api/hosting/photos/harbour%20at%20dawn.jpg',
        visibility: 'private',
      },
    },
  },
  refusals: { 400: ['"name" or "visibility" is required'], 404: [NO_FILE], 409: [TAKEN] },
})

/** `PUT /api/files/content` */
export const replaceContent = route('Files', WRITE, {
  id: 'replaceContent',
  summary: 'Replace the bytes of a file',
  description:
    'The body is the file. Its id, key, visibility, links and statistics stay; readers under way have the old ' +
    'bytes to their end.',
  parameters: WRITE_CONDITIONS,
  stream: { required: true, content: { 'application/octet-stream': BYTES } },
  query: ContentQuery,
  answer: FileAnswer,
  returns: { description: 'The file with its new size and time of change.', headers: { ETag: ETAG } },
  refusals: {
    400: ['The bytes do not have the digest that was sent with them'],
    404: [NO_FILE],
    409: ['Something that Holdfast does not know is at "photos/harbour.jpg" on the volume'],
    412: [],
    413: ['A file is larger than the maximum upload size of 5368709120 bytes'],
  },
})

/** `DELETE /api/files` */
export const deleteFiles = route('Files', DELETE, {
  id: 'deleteFiles',
  summary: 'Delete one or several files',
  description:
    'With `ids`, each file succeeds or fails alone, and the response lists both. It is a 404 only when none of ' +
    'them exists.',
  example: { ids: [FILE.id, OTHER_ID] },
  takes: DeleteBody,
  answer: DeletedAnswer,
  returns: {
    description: 'Null for one `id`; for `ids` the deleted ones, and the others with reasons.',
    examples: { ids: success({ deleted: [FILE.id], failed: FAILED }), 'one id': success(null) },
  },
  refusals: { 400: ['"id" or "ids" is required'], 404: [NO_FILE] },
})

/** `POST /api/files/copy` */
export const copyFiles = route('Files', COPY, {
  id: 'copyFiles',
  summary: 'Copy files and folders',
  description:
    'Into the folder with the id `folderId`, or into the one at the key `folder`, which is created when missing. A ' +
    'folder is copied with everything below it, all or nothing, up to 10,000 files and folders. Each file keeps its ' +
    'visibility. A name that is taken becomes `name (2)`. Where the file system can, copies share the blocks of ' +
    'their originals. Each id is handled on its own.',
  example: { fileIds: [FILE.id], folder: 'archive' },
  takes: SelectionInto,
  answer: CopiedAnswer,
  returns: {
    description: 'The copies with the ids of their originals, and the others with reasons.',
    data: {
      copied: [{ from: FILE.id, kind: 'file', id: OTHER_ID, name: FILE.name, key: MOVED.key }],
      failed: [],
    },
  },
  refusals: { 400: ['"fileIds" or "folderIds" is required'], 404: [NO_FILE] },
})

/** `POST /api/files/move` */
export const moveFiles = route('Files', WRITE, {
  id: 'moveFiles',
  summary: 'Move one or several files',
  description:
    'Moves to the folder with the id `folderId`, or to the one at the key `folder`. A missing `folder` is created; ' +
    'the empty key is the root. With `ids`, each file succeeds or fails alone. Keys change, ids stay.',
  example: { ids: [FILE.id, OTHER_ID], folder: 'archive' },
  takes: MoveBody,
  answer: MovedAnswer,
  returns: {
    description: 'The moved file; for `ids` the moved ones, and the others with reasons.',
    examples: {
      ids: success({ files: [MOVED], failed: FAILED }),
      'one id': success({ file: MOVED }),
    },
  },
  refusals: {
    400: ['"folderId" or "folder" is required', '"id" or "ids" is required'],
    404: [NO_FILE, 'Folder not found'],
    409: [TAKEN],
  },
})

/** `PUT /api/files/visibility` */
export const setVisibility = route('Files', WRITE, {
  id: 'setVisibility',
  summary: 'Set the visibility of several files',
  description:
    'Changes all files in one transaction. It takes as many `ids` as a move, and is a 404 only when none exists.',
  takes: VisibilityBody,
  answer: BatchAnswer,
  returns: 'The changed files, and the ids that do not exist.',
  refusals: { 404: [NO_FILE] },
})

/** `POST /api/files/canceled` */
export const reportCanceledUploads = route('Files', WRITE, {
  id: 'reportCanceledUploads',
  summary: 'Report uploads canceled before they began',
  description: 'Adds entries to the caller’s history. Interrupted uploads are recorded automatically.',
  takes: CanceledBody,
  answer: emptyEnvelope,
  returns: 'The cancellations were recorded.',
})

/** `POST /api/files/sign` */
export const signFile = route('Files', READ, {
  id: 'signFile',
  summary: 'Create a signed link to a file',
  description:
    'Anyone with the link can read the file until the link expires. `id` takes precedence over `key`. `expiresIn` is ' +
    'in seconds; it defaults to the instance’s lifetime and may not exceed its maximum.',
  example: { id: FILE.id, expiresIn: 3600 },
  takes: SignBody,
  answer: LinkAnswer,
  returns: 'The link, relative to the base URL, with its expiry.',
  refusals: { 400: ['"id" or "key" is required'], 404: [NO_FILE] },
})

/** `GET /api/files/sign` */
export const getLinkLifetimes = route('Files', READ, {
  id: 'getLinkLifetimes',
  summary: 'Get the default and maximum lifetime of signed links',
  answer: LifetimesAnswer,
  returns: 'The default and the maximum, in seconds.',
})

/** `GET /api/files/details` */
export const getFileDetails = route('Files', READ, {
  id: 'getFileDetails',
  summary: 'Get the details of a file',
  query: DetailsQuery,
  answer: DetailsAnswer,
  returns: 'The file with its SHA-256, its uploader and its traffic.',
  refusals: { 400: ['"id" or "key" is required'], 404: [NO_FILE] },
})

/** `GET /api/files/download/:id` */
export const downloadFile = route('Files', READ, {
  id: 'downloadFile',
  summary: 'Download a file',
  description: 'Supports ranges and conditional requests, for private files too.',
  parameters: [FILE_ID, ...RANGE_REQUEST],
  facts: { kind: 'download' },
  responses: downloadAnswers(FILE.name),
  refusals: { 404: [NO_FILE], 412: [], 416: [], 503: [] },
})
