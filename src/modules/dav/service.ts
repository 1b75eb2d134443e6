import { BasicAuth } from '../../access/basic.ts'
import { assertScope } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { within } from '../../access/reach.ts'
import { Refusal } from '../../platform/errors.ts'
import { segmentsOf } from '../../platform/names.ts'
import { element } from '../../xml/write.ts'
import { copy, makeFolder, move, remove } from './changes.ts'
import { evaluateIf } from './conditions.ts'
import type { Asked, Method, Works } from './context.ts'
import { lock, unlock } from './lock.ts'
import { Locked, Locks } from './locks.ts'
import { davError } from './problem.ts'
import { shownOf } from './properties.ts'
import { propfind } from './propfind.ts'
import { proppatch } from './proppatch.ts'
import { put } from './put.ts'
import { ALLOW, namesOf, pathOf, refuseHere, requireResource } from './resource.ts'

const READ: Method['scopes'] = ['files:read']
const WRITE: Method['scopes'] = ['files:write']

const METHODS: Record<string, Method> = {
  GET: { scopes: READ, run: get },
  HEAD: { scopes: READ, run: get },
  PROPFIND: { scopes: READ, run: propfind },
  PUT: { scopes: WRITE, run: put },
  MKCOL: { scopes: WRITE, run: makeFolder },
  COPY: { scopes: ['files:write', 'files:read'], run: copy },
  MOVE: { scopes: WRITE, run: move },
  DELETE: { scopes: ['files:delete'], run: remove },
  PROPPATCH: { scopes: WRITE, run: proppatch },
  LOCK: { scopes: WRITE, run: lock },
  UNLOCK: { scopes: WRITE, run: unlock },
}

/** Responds to OPTIONS, also without credentials: it tells nothing of what is stored. */
const options = () =>
  new Response(null, {
    status: 200,
    headers: { DAV: '1, 2, 3', 'MS-Author-Via': 'DAV', Allow: ALLOW, 'Content-Length': '0' },
  })

export type DavService = ReturnType<typeof openDav>

/** Opens WebDAV at `/dav/` (RFC 4918). */
export function openDav(context: Context, works: Works) {
  const basic = new BasicAuth(context)
  async function respond(request: Request): Promise<Response> {
    if (request.method === 'OPTIONS') return options()
    const method = METHODS[request.method]
    if (!method)
      throw new Refusal('method-not-allowed', `${request.method} is not supported here. Use ${ALLOW}.`, {
        headers: { Allow: ALLOW },
      })
    const caller = await basic.callerOf(request)
    for (const scope of method.scopes) assertScope(caller, scope)
    const names = namesOf(new URL(request.url).pathname)
    const locks = await Locks.read(context)
    const asked = { deps: within(context, caller), works, locks, caller, request, names }
    try {
      return await method.run({ ...asked, tokens: await evaluateIf(asked) })
    } catch (error) {
      if (!(error instanceof Locked)) throw error
      const href = element('D:href', pathOf(segmentsOf(error.key), 'file'))
      const name = request.method === 'LOCK' ? 'no-conflicting-lock' : 'lock-token-submitted'
      return davError(423, 'Another program has locked this', element(`D:${name}`, href).xml)
    }
  }
  return { respond }
}

/** Responds with the bytes of a file, as the API's download does. */
async function get({ deps, works, request, names }: Asked): Promise<Response> {
  const found = await deps.store.read(() => requireResource(deps, names))
  if (found.kind === 'folder') throw refuseHere('This is a folder: a WebDAV program lists it')
  return works.downloadFile(deps, found.row.id, request, await shownOf(deps, found))
}
