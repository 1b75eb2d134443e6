import { EXPOSED, type ResponseKind } from './route-facts.ts'

/**
 * Lets pages of the configured origins call the API with an API key (Fetch standard, CORS protocol). No response allows
 * credentials, so a session's cookie stays with the dashboard's own origin.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>

  readonly #methodsAt: (path: string) => readonly string[]

  /**
   * @param origins Origins as browsers write them, or `*`.
   * @param methodsAt Returns the methods of the route at a path; none where there is no route.
   */
  constructor(origins: readonly string[], methodsAt: (path: string) => readonly string[]) {
    this.#origins = new Set(origins)
    this.#methodsAt = methodsAt
  }

  /** Returns true for a preflight whose route responds to no OPTIONS itself. */
  answers(request: Request, path: string): boolean {
    if (!this.#isPreflight(request)) return false
    const methods = this.#methodsAt(path)
    return methods.length > 0 && !methods.includes('OPTIONS')
  }

  #isPreflight({ method, headers }: Request): boolean {
    return (
      method === 'OPTIONS' &&
      headers.has('access-control-request-method') &&
      this.#allowed(headers) !== undefined
    )
  }

  /** Adds the headers for pages of other origins. Those of hosting allow any page, and pages of ours none. */
  addTo(
    response: Response,
    request: Request,
    { path, kind }: { path: string; kind: ResponseKind },
  ): Response {
    if (
      this.#origins.size === 0 ||
      kind === 'hosting' ||
      kind === 'site' ||
      kind === 'signed' ||
      !path.startsWith('/api/')
    )
      return response
    response.headers.append('Vary', 'Origin')
    const allowed = this.#allowed(request.headers)
    if (allowed === undefined) return response
    response.headers.set('Access-Control-Allow-Origin', allowed)
    response.headers.set('Access-Control-Expose-Headers', EXPOSED.api)
    if (!this.#isPreflight(request)) return response
    response.headers.set('Access-Control-Allow-Methods', this.#methodsAt(path).join(', '))
    // Only an API key authorizes, so no other header needs a limit.
    const asked = request.headers.get('access-control-request-headers')
    if (asked !== null) response.headers.set('Access-Control-Allow-Headers', asked)
    response.headers.set('Access-Control-Max-Age', '86400')
    return response
  }

  /** Returns the origin to allow. A request with a cookie and no API key gets none. */
  #allowed(headers: Headers): string | undefined {
    const origin = headers.get('origin')
    if (origin === null || (headers.has('cookie') && !headers.has('api-key'))) return undefined
    if (this.#origins.has('*')) return '*'
    return this.#origins.has(origin) ? origin : undefined
  }
}
