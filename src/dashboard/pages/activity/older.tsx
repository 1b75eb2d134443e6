import { useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { texts } from '../../texts.ts'

interface OlderProps {
  history: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => Promise<unknown>
  }
}

/** Loads what is older as soon as it is nearly scrolled to; a button too, for whom scrolling is not the way. */
export function Older({ history: { hasNextPage, isFetchingNextPage, fetchNextPage } }: OlderProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element || !hasNextPage || isFetchingNextPage) return
    const observer = new IntersectionObserver(
      (seen) => {
        // On a busy machine several come at once.
        if (seen.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage()
      },
      { root: element.closest('main'), rootMargin: '800px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div ref={place} className="activity-older">
      <Button look="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {texts.activity.older}
      </Button>
    </div>
  )
}
