interface Route {
  method: string
  path: string
}

/**
 * Creates a function that returns the methods of a path, for 405 and its `Allow`. Paths are matched by
 * segments: `:name` is any one segment, a final `*` any rest.
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
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const [expected, given] = [segments(pattern), segments(path)]
  return (
    expected.length === given.length &&
    expected.every((segment, index) => segment.startsWith(':') || segment === given[index])
  )
}

/** Splits a path. A final slash makes no difference, as in the routes themselves. */
const segments = (path: string) => path.replace(/(?<=.)\/$/, '').split('/')
