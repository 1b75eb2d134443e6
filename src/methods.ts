interface Route {
  method: string
  path: string
}

/**
 * Answers which methods a path takes, for 405 and its `Allow`. Paths are matched by segments: `:name` is
 * any one segment, a final `*` any rest.
 */
export function createMethodTable(routes: () => readonly Route[]): (path: string) => string[] {
  return (path) => {
    const found = routes().filter((route) => matches(route.path, path))
    const methods = new Set(found.map(({ method }) => method))
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }
}

function matches(pattern: string, path: string): boolean {
  const expected = segments(pattern)
  const given = segments(path)
  const isOpenEnded = expected.at(-1) === '*'
  if (isOpenEnded ? given.length < expected.length - 1 : given.length !== expected.length) return false
  return expected.every(
    (segment, index) => segment === '*' || segment.startsWith(':') || segment === given[index],
  )
}

const segments = (path: string) => path.split('/').filter((segment) => segment !== '')
