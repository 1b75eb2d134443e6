import { createRootRoute, createRoute, createRouter, Navigate } from '@tanstack/react-router'
import { Failure, Loading } from './components/notice.tsx'
import { Gate } from './frame/gate.tsx'
import { NotFound } from './frame/not-found.tsx'
import { usePages } from './frame/use-pages.ts'
import { PAGES } from './pages.ts'

const rootRoute = createRootRoute({ component: Gate, notFoundComponent: NotFound })

const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: Home })

const pageRoutes = PAGES.map(({ path, component }) =>
  createRoute({ getParentRoute: () => rootRoute, path, component }),
)

export const router = createRouter({
  routeTree: rootRoute.addChildren([homeRoute, ...pageRoutes]),
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
  // Parameters are plain text: a folder named 2024 is not a number.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    // A query may contain slashes (RFC 3986 §3.4), which are easier to read.
    return query === '' ? '' : `?${query.replaceAll('%2F', '/')}`
  },
})

/** First page that the account can open. */
function Home() {
  const [first] = usePages()
  return first ? <Navigate to={first.path} replace /> : <NotFound />
}
