import { QueryClientProvider } from '@tanstack/react-query'
import { options } from 'preact'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query.ts'
import { Boundary } from './components/lazy.tsx'
import { Failure } from './components/notice.tsx'
import { Toasts } from './components/overlays/toast.tsx'
import { startFirstView, untilFirstView } from './first-view.ts'
import { Gate } from './frame/gate.tsx'
import { applyTheme } from './theme/theme.ts'

// Effects run before the next key or click, not after the next frame, which may take long.
options.requestAnimationFrame = queueMicrotask

startFirstView(location)
applyTheme()

const place = document.getElementById('app')
if (!place) throw new Error('The page has no place for the app')

createRoot(place).render(
  <QueryClientProvider client={queryClient}>
    <Boundary fallback={(error, retry) => <Failure error={error} onRetry={retry} />}>
      <Gate />
    </Boundary>
    <Toasts />
  </QueryClientProvider>,
)

// Without it, layers leave at once.
const showLeaving = () => import('./components/overlays/leaving.ts').then((it) => it.showLeaving())
void untilFirstView()
  .then(showLeaving)
  .catch(() => undefined)
