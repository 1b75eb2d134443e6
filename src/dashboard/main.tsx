import { QueryClientProvider } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, Navigate, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query.ts'
import { Failure, Loading } from './components/notice.tsx'
import { Toasts } from './components/overlays/toast.tsx'
import { startFirstView } from './first-view.ts'
import { Gate } from './frame/gate.tsx'
import { NotFound } from './frame/shell.tsx'
import { PAGES, usePages } from './pages.ts'
import { applyTheme } from './theme/theme.ts'

const rootRoute = createRootRoute({ component: Gate, notFoundComponent: NotFound })

const homeRoutes = ['/', '/sign-in'].map((path) =>
  createRoute({ getParentRoute: () => rootRoute, path, component: Home }),
)

const pageRoutes = PAGES.map(({ path, component }) =>
  createRoute({ getParentRoute: () => rootRoute, path, component }),
)

const router = createRouter({
  routeTree: rootRoute.addChildren([...homeRoutes, ...pageRoutes]),
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

startFirstView(location)
applyTheme()

const place = document.getElementById('app')
if (!place) throw new Error('The page has no place for the app')

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)

/** First page that the account can open. */
function Home() {
  const [first] = usePages()
  return first ? <Navigate to={first.path} replace /> : <NotFound />
}
