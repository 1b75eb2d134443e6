import { assertScope } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { within } from '../../access/reach.ts'
import type { Protocol } from '../../api/module.ts'
import { S3_FACTS } from '../../api/route-facts.ts'
import { exchangeOf } from '../../http/exchange.ts'
import { onEachServer } from '../../platform/jobs.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import { Assemblies } from './assembly.ts'
import { errorResponse, isForOperator, S3Error, s3ErrorOf } from './errors.ts'
import { S3History } from './history.ts'
import { operationOf } from './operations.ts'
import { parametersOf, splitPath } from './request.ts'
import { decode, isForS3, queryOf, verify } from './signature.ts'

/** Creates the module of the S3 API: buckets are top-level folders, keys the paths below. */
export function createS3(context: Context) {
  const { config, clock, log } = context
  const history = new S3History(context)
  const assemblies = new Assemblies(context)

  async function respond(request: Request): Promise<Response> {
    if (request.method === 'OPTIONS') return preflight(request)
    const path = pathOf(request.url)
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
  }

  const protocol: Protocol = {
    isFor: isForS3,
    facts: S3_FACTS,
    respond,
    fail: (error: unknown, request: Request): Response => {
      const { requestId = '', isHead } = exchangeOf(request)
      const path = pathOf(request.url)
      if (isForOperator(error))
        log.error('A request by the S3 API failed', error, { requestId, method: request.method, path })
      return errorResponse(s3ErrorOf(error) ?? new S3Error('InternalError'), {
        resource: path,
        requestId,
        isHead,
      })
    },
  }
  return {
    protocol,
    limiter: new RateLimiter({ limit: config.s3RequestsPerMinute, monotonic: clock.monotonic }),
    jobs: [
      onEachServer('* * * * *', 'Writing the history of the S3 API', () => history.flush()),
      onEachServer('* * * * *', 'Ending uploads in parts that are gone', () => assemblies.prune()),
    ],
    flush: () => history.flush(),
    stop: () => assemblies.stop(),
  }
}

const pathOf = (url: string) => url.slice(url.indexOf('/', url.indexOf('//') + 2)).replace(/\?.*/s, '')

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
