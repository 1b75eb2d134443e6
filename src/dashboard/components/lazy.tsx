import {
  Component,
  type ComponentType,
  type FunctionComponent,
  type ReactNode,
  useEffect,
  useState,
} from 'react'
import { HoldfastError } from '../../client/index.ts'
import { isReachable, lookForServer } from '../api/query.ts'
import { useStore } from '../lib/store.ts'
import { stylesLoaded } from '../lib/style.ts'
import { texts } from '../texts.ts'
import { Failure, Loading } from './notice.tsx'

/** Component in a chunk of its own, loaded when it is first shown. */
interface Chunk<Props> {
  load: () => Promise<{ default: ComponentType<Props> }>
  /** True if nothing is shown until it is loaded. */
  isQuiet?: boolean
  /** Undefined until it is loaded. */
  component?: ComponentType<Props>
}

/** Component that shows itself once its chunk is loaded. */
type LazyComponent<Props> = FunctionComponent<Props> & {
  /** Loads the chunk before it is shown. The router would call, and wait for, a method named `preload`. */
  load: () => Promise<void>
}

/**
 * Component of a chunk that retries to load. A reload of the page would end uploads, and shows nothing without a
 * server.
 */
export function lazyComponent<Props extends object>(
  load: Chunk<Props>['load'],
  options: { isQuiet?: boolean } = {},
): LazyComponent<Props> {
  const chunk: Chunk<Props> = { load, ...options }
  return Object.assign((props: Props) => <Lazy chunk={chunk} props={props} />, {
    load: () => loadChunk(chunk),
  })
}

async function loadChunk<Props>(chunk: Chunk<Props>): Promise<void> {
  const { default: component } = await chunk.load()
  // A part that appeared later than the dialog around it would miss the focus.
  await stylesLoaded()
  chunk.component ??= component
}

function Lazy<Props extends object>({ chunk, props }: { chunk: Chunk<Props>; props: Props }) {
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
  const [attempt, setAttempt] = useState(0)
  const isServerThere = useStore(isReachable)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt and each return of the server loads anew
  useEffect(() => {
    if (chunk.component) {
      // It may have come since the last rendering.
      setState('loaded')
      return
    }
    setState('loading')
    loadChunk(chunk).then(
      () => setState('loaded'),
      () => {
        setState('failed')
        void lookForServer()
      },
    )
  }, [chunk, attempt, isServerThere])
  const waiting = chunk.isQuiet ? null : <Loading />
  if (chunk.component) return <chunk.component {...props} />
  if (chunk.isQuiet || state !== 'failed') return waiting
  const message = isServerThere ? texts.errors.chunk : texts.errors.unreachable
  return (
    <Failure
      error={new HoldfastError(message, { status: 0 })}
      onRetry={() => setAttempt((count) => count + 1)}
    />
  )
}

interface BoundaryProps {
  children: ReactNode
  /** Shown in place of children that fail to render, or rendered with the error and the function that tries again. */
  fallback: ReactNode | ((error: unknown, retry: () => void) => ReactNode)
}

/** Bounds a failure of rendering to its children, so that the page around them stays. */
export class Boundary extends Component<BoundaryProps, { failure?: { error: unknown } | undefined }> {
  override state: { failure?: { error: unknown } | undefined } = {}

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } }
  }

  override render() {
    const { children, fallback } = this.props
    const { failure } = this.state
    if (!failure) return children
    if (typeof fallback !== 'function') return fallback
    return fallback(failure.error, () => this.setState({ failure: undefined }))
  }
}
