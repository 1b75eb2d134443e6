import { type Described, type Documented, documented } from '../../../api/openapi/described.ts'
import * as member from '../../uploads/docs.ts'
import { LOCKED, NO_SHARE, SLUG } from '../visitors/module.ts'

/** Documents a route like that of members, with what is different for visitors. */
function forVisitors({ described, facts }: Documented, change: Partial<Described> & Pick<Described, 'id'>) {
  const { tag: _, ...shared } = described
  const parameters = [SLUG, ...(shared.parameters ?? [])]
  return documented('Shares', { ...shared, parameters, ...change }, facts)
}

const REFUSALS = { 401: [LOCKED], 403: ['This share takes no files'], 404: [NO_SHARE, 'Upload not found'] }

/** `OPTIONS /api/s/:slug/uploads` */
export const getAbilities = forVisitors(member.getUploadAbilities, { id: 'getSharedUploadAbilities' })

/** `OPTIONS /api/s/:slug/uploads/:id` */
export const getAbilitiesOfUpload = forVisitors(member.getAbilitiesOfUpload, {
  id: 'getAbilitiesOfSharedUpload',
})

/** `POST /api/s/:slug/uploads` */
export const createUpload = forVisitors(member.createUpload, {
  id: 'createSharedUpload',
  summary: 'Begin an upload to a share',
  description:
    'By tus 1.0.0, for a share with `canWrite`. Of `Upload-Metadata` only `filename` counts. A place under the limits of ' +
    'the share is reserved until the upload is finished, canceled or expired: an hour after it began, or a day after its ' +
    'last byte. A cookie tells the visitor from others and must be sent with the other requests.',
  refusals: {
    ...member.createUpload.described.refusals,
    ...REFUSALS,
    409: [],
    413: ['These files are more than this share takes'],
    415: ['"notes.txt" is not of a type that this share takes: image/*'],
  },
})

/** `GET /api/s/:slug/uploads/:id` */
export const getUpload = forVisitors(member.getUpload, {
  id: 'getSharedUpload',
  refusals: { ...member.getUpload.described.refusals, ...REFUSALS },
})

/** `PATCH /api/s/:slug/uploads/:id` */
export const continueUpload = forVisitors(member.continueUpload, {
  id: 'continueSharedUpload',
  description:
    'Appends at the current offset. The last byte turns the upload into a file; a taken name gets a number.',
  refusals: { ...member.continueUpload.described.refusals, ...REFUSALS },
})

/** `DELETE /api/s/:slug/uploads/:id` */
export const endUpload = forVisitors(member.endUpload, {
  id: 'endSharedUpload',
  refusals: { ...member.endUpload.described.refusals, ...REFUSALS },
})
