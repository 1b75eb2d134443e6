import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../../../access/context.ts'
import { auth, openToAll, WRITE } from '../../../access/plugin.ts'
import { within } from '../../../access/reach.ts'
import { openRoute, route } from '../../../access/route.ts'
import { BYTES, filesForm } from '../../../api/openapi/bytes.ts'
import { type Described, type Documented, documented } from '../../../api/openapi/described.ts'
import type { Parameter } from '../../../api/openapi/document.ts'
import { OTHER_ID } from '../../../api/openapi/samples.ts'
import { queryParameters, success } from '../../../api/schema.ts'
import { Refusal, refuseInvalid } from '../../../platform/errors.ts'
import { FileAnswer } from '../../../views/files.ts'
import * as member from '../docs.ts'
import { uploadHeaders } from '../model.ts'
import type { Tus } from '../tus.ts'
import { asStranger, contentOf, openLink } from './link.ts'
import { receiveSigned } from './receive.ts'
import { LinkSender } from './sender.ts'
import { SIGN_EXAMPLE, SignUploadBody, signUpload, UploadLinkAnswer } from './sign.ts'

const TOKEN: Parameter = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'The signed content of the link.',
  schema: { type: 'string' },
  example: 'WzEsInI1…XQ.bTnW0qyO…',
}

const REFUSALS = {
  404: ['Upload link not found'],
  410: [
    'This upload link was used already',
    'This upload link has expired',
    'This upload link has ended: ask for another one',
  ],
}
const FILE_REFUSALS = {
  ...REFUSALS,
  409: ['A file named "harbour.jpg" exists in this folder already'],
  413: ['A file is larger than the maximum upload size of 5000000 bytes'],
  415: ['This link only accepts image/*, so it refuses "notes.txt"'],
}
const FACTS = { kind: 'signed', limit: 'upload' } as const

/** Documents a route like that of members, with what is different for a link. */
function byLink({ described }: Documented, change: Pick<Described, 'id'> & Partial<Described>) {
  const { tag: _, ...shared } = described
  const parameters = [TOKEN, ...(shared.parameters ?? [])]
  const refusals = shared.refusals && { ...shared.refusals, ...REFUSALS, ...change.refusals }
  return openToAll(
    documented(
      'Resumable uploads',
      { ...shared, parameters, ...change, ...(refusals && { refusals }) },
      FACTS,
    ),
  )
}

const SIGN_UPLOAD = route('Files', WRITE, {
  id: 'signUpload',
  summary: 'Create a signed link for one upload',
  description:
    'Anyone with the link can upload one file, once, until it expires, within its rules: by PUT, by a form or by tus. It ends ' +
    'with the API key or account that signed it. `expiresIn` is in seconds, as for links to files.',
  example: SIGN_EXAMPLE,
  takes: SignUploadBody,
  answer: UploadLinkAnswer,
  returns: 'The link, relative to the base URL, with its expiry.',
  refusals: { 404: ['Folder not found'] },
})

const PUT_SIGNED = openRoute('Files', {
  id: 'putSigned',
  summary: 'Upload the file of a signed link',
  description: 'The body is the file. Other credentials are not looked at.',
  parameters: [TOKEN],
  query: queryParameters(
    T.Object({
      name: T.Optional(
        T.String({ description: 'Name of the file, unless the link fixes it.', examples: ['harbour.jpg'] }),
      ),
    }),
  ),
  stream: { content: { 'application/octet-stream': BYTES } },
  answer: FileAnswer,
  returns: 'The stored file.',
  facts: FACTS,
  refusals: FILE_REFUSALS,
})

const POST_SIGNED = openRoute('Files', {
  id: 'postSigned',
  summary: 'Upload the file of a signed link by a form or by tus',
  description:
    'A form has one file; its other fields are ignored. With `Tus-Resumable` the request begins a resumable upload instead: ' +
    'the response is 201, and `Location` is where to go on.',
  parameters: [TOKEN],
  stream: filesForm(),
  answer: FileAnswer,
  returns: 'The stored file.',
  responses: {
    201: {
      description: 'The resumable upload began.',
      headers: {
        Location: {
          description: 'Where it is.',
          required: true,
          schema: { type: 'string' },
          example: `/api/uploads/signed/${TOKEN.example}/${OTHER_ID}`,
        },
      },
    },
  },
  facts: FACTS,
  refusals: { ...FILE_REFUSALS, 412: ['"Tus-Resumable" must be 1.0.0'], 460: [] },
})

/** Headers of the response to a CORS preflight request (Fetch standard, CORS protocol). */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'DELETE, HEAD, OPTIONS, PATCH, POST, PUT',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-Digest, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Checksum, Upload-Defer-Length, Upload-Concat, X-HTTP-Method-Override, X-Requested-With, X-Request-ID',
  'Access-Control-Max-Age': '86400',
}

/** Builds `/api/uploads/sign`. */
export const signRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/uploads' })
    .use(auth(deps))
    .post(
      '/sign',
      async ({ caller, body }) => success(await signUpload(within(deps, caller), caller, body)),
      { ...SIGN_UPLOAD },
    )

/** Runs a request of a stranger. */
async function forStranger<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw asStranger(error)
  }
}

/** Builds `/api/uploads/signed`: uploads by a signed link, which is their only credential. */
export function signedRoutes(deps: Context, tus: Tus) {
  const sending = (token: string, request: Request, name?: string) =>
    forStranger(async () => {
      const link = await openLink(deps, contentOf(deps, token))
      return success({ file: await receiveSigned(link, request, name) })
    })
  /** Runs a request about a resumable upload. One that lost its link to another is removed. */
  const continuing = <Answer>(
    { token, id }: { token: string; id: string },
    request: Request,
    work: (sender: LinkSender) => Promise<Answer>,
  ) =>
    forStranger(async () => {
      const signed = contentOf(deps, token)
      try {
        return await work(new LinkSender(await openLink(deps, signed, id), request))
      } catch (error) {
        if (error instanceof Refusal && error.reason === 'upload-link-used')
          await tus.forget(signed.nonce, id)
        throw error
      }
    })
  const describe = () => {
    const response = tus.describe()
    for (const [name, value] of Object.entries(PREFLIGHT)) response.headers.set(name, value)
    return response
  }
  return new Elysia({ prefix: '/api/uploads/signed/:token' })
    .options('/', describe, { ...byLink(member.getUploadAbilities, { id: 'getSignedUploadAbilities' }) })
    .options('/:id', describe, {
      ...byLink(member.getAbilitiesOfUpload, { id: 'getAbilitiesOfSignedUpload' }),
    })
    .put('/', ({ params: { token }, query: { name }, request }) => sending(token, request, name), {
      ...PUT_SIGNED,
    })
    .post(
      '/',
      async ({ params: { token }, request }) => {
        if (!request.headers.has('tus-resumable')) return Response.json(await sending(token, request))
        const row = await forStranger(async () => {
          const link = await openLink(deps, contentOf(deps, token))
          return tus.begin(new LinkSender(link, request), request)
        })
        const headers = { ...uploadHeaders(row), Location: `/api/uploads/signed/${token}/${row.id}` }
        return new Response(null, { status: 201, headers })
      },
      { ...POST_SIGNED },
    )
    .get(
      '/:id',
      async ({ params, request }) => {
        if (request.headers.get('tus-resumable') === null)
          throw refuseInvalid('"Tus-Resumable: 1.0.0" is required')
        const row = await continuing(params, request, (sender) => tus.find(sender, params.id, request))
        const headers = { ...uploadHeaders(row), 'Upload-Length': String(row.length) }
        return new Response(null, { headers: { ...headers, 'Cache-Control': 'no-store' } })
      },
      {
        ...byLink(member.getUpload, {
          id: 'getSignedUpload',
          responses: { 200: { description: 'Its progress, in the headers.' } },
        }),
      },
    )
    .patch(
      '/:id',
      async ({ params, request }) => {
        const row = await continuing(params, request, (sender) => tus.continue(sender, params.id, request))
        return new Response(null, { status: 204, headers: uploadHeaders(row) })
      },
      {
        ...byLink(member.continueUpload, { id: 'continueSignedUpload', refusals: FILE_REFUSALS }),
        parse: 'none',
      },
    )
    .delete(
      '/:id',
      async ({ params, request }) => {
        await continuing(params, request, (sender) => tus.end(sender, params.id, request))
        return new Response(null, { status: 204 })
      },
      { ...byLink(member.endUpload, { id: 'endSignedUpload' }), parse: 'none' },
    )
}
