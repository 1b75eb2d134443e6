import * as T from 'typebox'
import { EXAMPLE_ID, FILE, OTHER_ID } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, nullable, queryParameters } from '../../api/schema.ts'
import type { FileChanges } from '../../store/moves.ts'
import { DestinationFields, FileView, VisibilitySchema } from '../../views/files.ts'
import { ListParameters } from '../../views/lists.ts'

const FileTraffic = { requests: T.Integer(), bytes: T.Integer() }
const FileDetails = T.Object({
  file: FileView,
  sha256: T.String({ description: 'Hexadecimal.' }),
  uploadedBy: nullable(
    T.Object(
      {
        id: T.String(),
        name: nullable(T.String({ description: 'Null for a deleted account.', examples: ['Ada'] })),
      },
      { description: 'Account that sent these bytes; null for a file that was found on disk.' },
    ),
  ),
  traffic: T.Object(
    { ...FileTraffic, days: T.Array(T.Object({ date: T.String(), ...FileTraffic })) },
    { description: 'Traffic of its URL in the last 30 UTC days, oldest first.' },
  ),
})
export type FileDetails = T.Static<typeof FileDetails>

/** Fields that name a file. */
const OneFile = {
  id: T.Optional(T.String({ description: 'The file with this id.', examples: [EXAMPLE_ID] })),
  key: T.Optional(T.String({ description: 'The file at this key.', examples: ['photos/harbour.jpg'] })),
}

export const DetailsQuery = queryParameters(T.Object(OneFile))
export const DetailsAnswer = envelope(FileDetails)
/** Schema of stored files, and of the names that an upload with `skip` left out. */
export const UploadedAnswer = envelope(
  T.Object({ files: T.Array(FileView), skipped: T.Optional(T.Array(T.String())) }),
)
/** Schema of a list, or of a single file. */
export const FileOrFilesAnswer = envelope(
  T.Union([T.Object({ file: FileView }), T.Object({ files: T.Array(FileView) })]),
)
export const LifetimesAnswer = envelope(
  T.Object({
    defaultExpiresIn: T.Integer({ description: 'Default lifetime of a link, in seconds.', examples: [3600] }),
    maxExpiresIn: T.Integer({ description: 'Maximum lifetime of a link, in seconds.', examples: [604_800] }),
  }),
)
export const LinkAnswer = envelope(
  T.Object({
    url: T.String({
      description: 'Relative to the base URL.',
      examples: [`${FILE.url}?exp=1793613600&sig=Jt0vUO3nqk1mI7X9Lw5bT2cH8sYdRgE4aZpFxQhN6uM`],
    }),
    expiresAt: IsoTime,
  }),
)

export const FileQuery = queryParameters(
  T.Object({
    ...OneFile,
    name: T.Optional(T.String({ description: 'Only files of this name.', examples: ['harbour.jpg'] })),
    ...ListParameters,
  }),
)

/** Fields for one `id`, or a batch of `ids`. */
const IdOrIds = { id: T.Optional(T.String()), ids: T.Optional(T.Array(T.String(), { minItems: 1 })) }

export const ContentQuery = queryParameters(
  T.Object({ id: T.String({ description: 'The file with this id.', examples: [EXAMPLE_ID] }) }),
)
export const DeleteBody = jsonBody(T.Object(IdOrIds))
export const MoveBody = jsonBody(T.Object({ ...IdOrIds, ...DestinationFields }))
/** Fields for files and folders. */
const Selection = {
  fileIds: T.Optional(T.Array(T.String())),
  folderIds: T.Optional(T.Array(T.String())),
}
/** Schema of a request to copy or move files and folders. */
export const SelectionInto = jsonBody(T.Object({ ...Selection, ...DestinationFields }))
export const DeleteItemsBody = jsonBody(T.Object(Selection))
export const CanceledBody = jsonBody(T.Object({ names: T.Array(T.String(), { minItems: 1 }) }))
const Changes = {
  name: T.Optional(T.String()),
  visibility: T.Optional(VisibilitySchema),
} satisfies Record<keyof FileChanges, T.TSchema>
export const ChangeBody = jsonBody(T.Object({ id: T.String(), ...Changes }))
/** Names of the fields that a change may have, of which it needs one. */
export const CHANGEABLE = Object.keys(Changes)
export type ChangeFile = T.Static<typeof ChangeBody.schema>

export const VisibilityBody = jsonBody(
  T.Object({ ids: T.Array(T.String(), { minItems: 1 }), visibility: VisibilitySchema }),
)
export const ItemVisibilityBody = jsonBody(T.Object({ ...Selection, visibility: VisibilitySchema }))

const Failed = T.Array(T.Object({ id: T.String({ examples: [OTHER_ID] }), message: T.String() }))
const Deleted = T.Object({ deleted: T.Array(T.String()), failed: Failed })
export const DeletedAnswer = envelope(T.Union([T.Null(), Deleted]))
export const DeletedItemsAnswer = envelope(Deleted)
/** Schema of copies: each with the id of its original. */
export const CopiedAnswer = envelope(
  T.Object({
    copied: T.Array(
      T.Object({
        from: T.String({ description: 'Id of the original.' }),
        kind: T.Union([T.Literal('file'), T.Literal('folder')]),
        id: T.String(),
        name: T.String(),
        key: T.String(),
      }),
    ),
    failed: Failed,
  }),
)
export type Copy = T.Static<typeof CopiedAnswer.schema>['data']['copied'][number]
export const BatchAnswer = envelope(T.Object({ files: T.Array(FileView), failed: Failed }))
export const MovedItemsAnswer = envelope(T.Object({ moved: T.Array(T.String()), failed: Failed }))
export const MovedAnswer = envelope(
  T.Union([T.Object({ file: FileView }), T.Object({ files: T.Array(FileView), failed: Failed })]),
)

export const SignBody = jsonBody(
  T.Object({
    id: T.Optional(T.String()),
    key: T.Optional(T.String()),
    expiresIn: T.Optional(T.Number({ description: 'In seconds.' })),
  }),
)
