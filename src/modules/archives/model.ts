import * as T from 'typebox'
import { envelope, jsonBody, queryParameters } from '../../api/schema.ts'
import { VisibilitySchema } from '../../views/files.ts'
import { FolderView, OneFolder } from '../../views/folders.ts'

export const FilesBody = jsonBody(T.Object({ ids: T.Array(T.String(), { minItems: 1 }) }))
export const FolderQuery = queryParameters(T.Object(OneFolder))

export const ImportQuery = queryParameters(
  T.Object({
    folder: T.Optional(
      T.String({ description: 'Key of the target folder; the root if omitted.', examples: ['site'] }),
    ),
    visibility: T.Optional(VisibilitySchema),
    onConflict: T.Optional(
      T.Union([T.Literal('fail'), T.Literal('replace'), T.Literal('rename'), T.Literal('skip')], {
        description: 'For a taken name, as in an upload.',
        examples: ['skip'],
      }),
    ),
  }),
)
export const ImportAnswer = envelope(
  T.Object({
    folder: FolderView,
    files: T.Integer(),
    folders: T.Integer({ description: 'Number that did not exist before.' }),
    skipped: T.Optional(T.Array(T.String(), { description: 'Paths that `skip` left out.' })),
  }),
)
