import { useEffect, useRef } from 'react'
import { Button } from './fields/button.tsx'

interface OlderProps {
  history: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => Promise<unknown>
  }
  /** Text of the button. */
  label: string
}

/** Loader of older entries, when its button is nearly in view or pressed. */
export function Older({ history: { hasNextPage, isFetchingNextPage, fetchNextPage }, label }: OlderProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element || !hasNextPage || isFetchingNextPage) return
    const observer = new IntersectionObserver(
      (seen) => {
        // A busy browser reports several changes at once.
        if (seen.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage()
      },
      { root: element.closest('main'), rootMargin: '800px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div ref={place} className="older">
      <Button look="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
}
