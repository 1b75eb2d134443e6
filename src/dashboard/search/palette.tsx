import * as Radix from '@radix-ui/react-dialog'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { FormError } from '../components/notice.tsx'
import { useEscape } from '../components/overlays/layers.ts'
import { useFocusOfOpener } from '../components/overlays/opener.ts'
import { closePalette, type Palette } from '../lib/palette.ts'
import { searchTexts } from '../texts/search.ts'
import { Filters } from './filters.tsx'
import { type Found, findItems, type SearchFilter } from './find.ts'
import css from './palette.css' with { type: 'file' }
import { optionId, Results } from './results.tsx'

/** Milliseconds after the last key until the search begins. */
const SETTLE_MS = 120

/** Search over all files and folders as it is typed. */
export default function SearchDialog({ text, within }: Palette) {
  const [filter, setFilter] = useState<SearchFilter>({ text, within })
  const [current, setCurrent] = useState(0)
  const { data, error, isCurrent } = useSearchResults(filter)
  const openFound = useOpenFound()
  const focusOpener = useFocusOfOpener()
  useEscape(closePalette)
  const list = useId()
  const found = data?.found ?? []
  const change = (changed: Partial<SearchFilter>) => {
    setCurrent(0)
    setFilter((now) => ({ ...now, ...changed }))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Until a search ends, the list shows the results of the one before.
    const chosen = isCurrent ? found[current] : undefined
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) setCurrent(Math.max(0, Math.min(found.length - 1, current + step)))
    else if (event.key === 'Enter' && chosen && !event.nativeEvent.isComposing) openFound(chosen)
    else return
    event.preventDefault()
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && closePalette()}>
      <link rel="stylesheet" href={css} precedence="default" />
      <Radix.Portal>
        <div className="dialog-backdrop" />
        <Radix.Content className="dialog palette" aria-describedby={undefined} onCloseAutoFocus={focusOpener}>
          <Radix.Title className="visually-hidden">{searchTexts.title}</Radix.Title>
          <div className="palette-field">
            <Search aria-hidden size={18} />
            <input
              role="combobox"
              aria-label={searchTexts.placeholder}
              aria-expanded={found.length > 0}
              aria-controls={list}
              aria-autocomplete="list"
              aria-activedescendant={found[current] ? optionId(list, current) : undefined}
              placeholder={searchTexts.placeholder}
              value={filter.text}
              onChange={({ target }) => change({ text: target.value })}
              onKeyDown={onKeyDown}
            />
          </div>
          <Filters filter={filter} folder={within} onChange={change} />
          {error ? (
            <FormError error={error} />
          ) : (
            <Results id={list} found={found} current={current} onPoint={setCurrent} onOpen={openFound} />
          )}
          <footer className="palette-status">
            <p role="status">{data ? statusOf(data, filter) : ''}</p>
            <p>{searchTexts.keys}</p>
          </footer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function statusOf({ found, hasMore }: { found: Found[]; hasMore: boolean }, { text }: SearchFilter): string {
  if (found.length === 0) return hasMore ? searchTexts.noneYet : searchTexts.none
  return text.trim() === '' ? searchTexts.newest : searchTexts.found(found.length, hasMore)
}

/** Queries what matches, a moment after the last key. A newer search aborts the one before. */
function useSearchResults(filter: SearchFilter) {
  const [settled, setSettled] = useState(filter)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(filter), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [filter])
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['search', settled],
    queryFn: ({ signal }) => findItems({ ...settled, text: settled.text.trim() }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return { data, error, isCurrent: settled === filter && !isPlaceholderData }
}

/** Returns the function that opens a folder, or the preview of a file in its folder. */
function useOpenFound() {
  const navigate = useNavigate()
  return ({ is, id, key, folder }: Found) => {
    closePalette()
    const search = is === 'folder' ? { folder: key } : { folder, preview: id }
    void navigate({ to: '/files', search })
  }
}
