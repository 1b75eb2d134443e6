import type { RouteFacts } from './openapi/described.ts'

interface Route {
  method: string
  path: string
  hooks?: { facts?: RouteFacts }
}

interface Place {
  methods: Set<string>
  facts: RouteFacts
}

/** Facts of routes by their paths, and the methods there for 405 and its `Allow`. */
export class RouteTable {
  readonly #exact = new Map<string, Place>()
  readonly #patterns: { pattern: RegExp; place: Place }[] = []

  constructor(routes: readonly Route[]) {
    const places = Map.groupBy(routes, ({ path }) => withoutFinalSlash(path))
    for (const [path, found] of places) {
      const place = {
        methods: new Set(found.map(({ method }) => method)),
        facts: Object.assign({}, ...found.map(({ hooks }) => hooks?.facts)),
      }
      if (/[:*]/.test(path)) this.#patterns.push({ pattern: toPattern(path), place })
      else this.#exact.set(path, place)
    }
  }

  /** Returns the methods of the routes at `path`; none where there is no route. */
  methodsAt(path: string): string[] {
    const methods = new Set(this.#at(path)?.methods)
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }

  /** Returns the facts of the routes at `path`. Outside of `/api` nothing is limited. */
  factsAt(path: string): Required<RouteFacts> {
    const limit = path.startsWith('/api/') ? 'api' : 'none'
    return { kind: 'app', limit, ...this.#at(path)?.facts }
  }

  #at(path: string): Place | undefined {
    return (
      this.#exact.get(withoutFinalSlash(path)) ??
      this.#patterns.find(({ pattern }) => pattern.test(path))?.place
    )
  }
}

/** Converts a path of the framework: `:name` is any one segment, a final `*` any rest. */
const toPattern = (path: string) =>
  new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}${path.endsWith('*') ? '' : '/?'}$`, 's')

const withoutFinalSlash = (path: string) => path.replace(/(?<=.)\/$/, '')
