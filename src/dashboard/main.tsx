import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query.ts'
import { Toasts } from './components/overlays/toast.tsx'
import { startFirstView } from './first-view.ts'
import { router } from './router.tsx'
import { applyTheme } from './theme/theme.ts'

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
