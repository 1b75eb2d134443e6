import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { type Found, findItems, type SearchFilter } from './find.ts'
import { optionId } from './results.tsx'

/** Milliseconds after the last key until the search begins. */
const SETTLE_MS = 120

/**
 * Queries what matches, a moment after the last key. A newer search aborts the one before. Without a text the newest
 * come, unless `needsText`.
 */
export function useSearchResults(filter: SearchFilter, { needsText = false } = {}) {
  const [settled, setSettled] = useState(filter)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(filter), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [filter])
  const text = settled.text.trim()
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['search', settled],
    queryFn: ({ signal }) => findItems({ ...settled, text }, signal),
    enabled: !needsText || text !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return { data, error, isCurrent: settled === filter && !isPlaceholderData }
}

/** Returns the current one of some results, and the properties of the field that moves in them and chooses. */
export function useChoice(
  { found, isCurrent }: { found: readonly Found[]; isCurrent: boolean },
  onChoose: (found: Found) => void,
) {
  const [current, setCurrent] = useState(0)
  const list = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    // Until a search ends, the list shows the results of the one before.
    const chosen = isCurrent ? found[current] : undefined
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) setCurrent(Math.max(0, Math.min(found.length - 1, current + step)))
    else if (event.key === 'Enter' && chosen && !event.nativeEvent.isComposing) onChoose(chosen)
    else return
    event.preventDefault()
  }
  const field = {
    role: 'combobox',
    'aria-expanded': found.length > 0,
    'aria-controls': list,
    'aria-autocomplete': 'list',
    'aria-activedescendant': found[current] ? optionId(list, current) : undefined,
    onKeyDown,
  } as const
  return { list, current, setCurrent, field }
}
