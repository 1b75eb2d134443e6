import { assertScope } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { within } from '../../access/reach.ts'
import { exchangeOf, pathOf } from '../../http/exchange.ts'
import { Assemblies } from './assembly.ts'
import { errorResponse, isForOperator, S3Error, s3ErrorOf } from './errors.ts'
import { S3History } from './history.ts'
import { operationOf } from './operations.ts'
import { parametersOf, splitPath } from './request.ts'
import { decode, queryOf, verify } from './signature.ts'

export type S3Service = ReturnType<typeof openS3>

/** Opens the S3 API: buckets are top-level folders, keys the paths below. */
export function openS3(context: Context) {
  const history = new S3History(context)
  const assemblies = new Assemblies(context)
  return {
    history,
    assemblies,
    async respond(request: Request): Promise<Response> {
      if (request.method === 'OPTIONS') return preflight(request)
      const path = pathOf(request)
      const query = queryOf(request.url)
      const signed = await verify(context, request, { path, query })
      const place = splitPath(decode(path))
      const parameters = parametersOf(query)
      const operation = operationOf(request.method, { ...place, query: parameters, request })
      const { caller } = signed
      for (const scope of operation.scopes) assertScope(caller, scope)
      const deps = { ...within(context, caller), assemblies }
      const response = await operation.run({ deps, history, request, signed, ...place, query: parameters })
      response.headers.set('x-amz-request-id', exchangeOf(request).requestId ?? '')
      return response
    },
    fail(error: unknown, request: Request): Response {
      const { requestId = '', isHead } = exchangeOf(request)
      const path = pathOf(request)
      if (isForOperator(error))
        context.log.error('A request by the S3 API failed', error, {
          requestId,
          method: request.method,
          path,
        })
      const refused = s3ErrorOf(error) ?? new S3Error('InternalError')
      return errorResponse(refused, { resource: path, requestId, isHead })
    },
  }
}

/** Allows any page to send signed requests: only the signature authorizes, and no cookie is read. */
function preflight({ headers }: Request): Response {
  if (!headers.has('access-control-request-method'))
    throw new S3Error('InvalidRequest', 'OPTIONS must be a preflight of a browser')
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': '86400',
    },
  })
}
