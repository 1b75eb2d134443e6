import * as T from 'typebox'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { envelope, nullable, oneOf, queryParameters } from '../../api/schema.ts'
import { timeParameter } from '../../api/time.ts'
import { KINDS } from '../../platform/kinds.ts'
import { FileView, VisibilitySchema } from '../../views/files.ts'
import { FolderView } from '../../views/folders.ts'

const SearchParameters = {
  q: T.Optional(
    T.String({
      maxLength: 4096,
      description:
        'Part of a name, in any case, with or without accents. Spaces at its ends are left out. Without it, or with ' +
        'accents alone, the newest come first.',
      examples: ['harbour'],
    }),
  ),
  kind: T.Optional(
    oneOf(['file', 'folder', ...KINDS], {
      description: 'Only files, folders, or files of a kind.',
      examples: ['image'],
    }),
  ),
  visibility: T.Optional(VisibilitySchema),
  uploader: T.Optional(
    T.String({
      description: 'Id of an account: only the files that it uploaded.',
      examples: [EXAMPLE_ID],
    }),
  ),
  folder: T.Optional(
    T.String({ description: 'Key of a folder: only what is in it or below it.', examples: ['photos'] }),
  ),
  after: T.Optional(timeParameter('a date or a time with its zone: only what was added then or later')),
  before: T.Optional(timeParameter('a date or a time with its zone: only what was added earlier')),
  size: T.Optional(
    T.String({
      pattern: '^(\\d{1,15}\\.\\.(\\d{1,15})?|\\.\\.\\d{1,15})$',
      description: 'a range of bytes such as 1000..5000, 1000.. or ..5000: only files of such a size',
      examples: ['1000..'],
    }),
  ),
  limit: T.Optional(
    T.Integer({
      minimum: 1,
      maximum: 200,
      description: 'Maximum number of results; 50 by default.',
      examples: [50],
    }),
  ),
  cursor: T.Optional(
    T.String({ description: '`next` of the page before.', examples: ['WzIsMTc2NDAwMDAwMDAwMCw4XQ'] }),
  ),
}
export const SearchQuery = queryParameters(T.Object(SearchParameters))
export type SearchParameters = T.Static<T.TObject<typeof SearchParameters>>

const Match = nullable(
  T.Array(T.Integer(), {
    description:
      'Start and end of the part of the name that matches, in UTF-16 code units; null without `q`.',
    examples: [[0, 7]],
  }),
)
const FoundFile = T.Object({ kind: T.Literal('file'), file: FileView, match: Match })
const FoundFolder = T.Object({ kind: T.Literal('folder'), folder: FolderView, match: Match })

export const SearchAnswer = envelope(
  T.Object({
    items: T.Array(T.Union([FoundFile, FoundFolder])),
    next: nullable(T.String({ description: '`cursor` of the next page; null on the last one.' })),
  }),
)
export type FoundItem = T.Static<typeof FoundFile> | T.Static<typeof FoundFolder>
