import * as Radix from '@radix-ui/react-dialog'
import { Search, X } from 'lucide-react'
import { useState } from 'react'
import { preinit } from 'react-dom'
import { IconButton } from '../components/fields/button.tsx'
import { FormError } from '../components/notice.tsx'
import { useEscape, useFocusOfOpener } from '../components/overlays/layers.ts'
import { closePalette, type Palette } from '../lib/palette.ts'
import { navigate } from '../lib/router.tsx'
import { searchTexts } from '../texts/search.ts'
import { texts } from '../texts.ts'
import { Filters } from './filters.tsx'
import type { Found, SearchFilter } from './find.ts'
import css from './palette.css' with { type: 'file' }
import { Results, useChoice, useSearchResults } from './results.tsx'

// With the chunk, so that the search opens at once, also without the server.
preinit(css, { as: 'style', precedence: 'default' })

/** Search over all files and folders as it is typed. */
export default function SearchDialog({ text, within }: Palette) {
  const [filter, setFilter] = useState<SearchFilter>({ text, within })
  const { data, error, isCurrent } = useSearchResults(filter)
  const found = data?.found ?? []
  const openFound = useOpenFound()
  const { list, current, setCurrent, field } = useChoice({ found, isCurrent }, openFound)
  const focusOpener = useFocusOfOpener()
  useEscape(closePalette)
  const change = (changed: Partial<SearchFilter>) => {
    setCurrent(0)
    setFilter((now) => ({ ...now, ...changed }))
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && closePalette()}>
      <link rel="stylesheet" href={css} precedence="default" />
      <Radix.Portal>
        <div className="dialog-backdrop" />
        <Radix.Content
          className="dialog palette column focus-place"
          aria-describedby={undefined}
          onCloseAutoFocus={focusOpener}
        >
          <Radix.Title className="visually-hidden">{searchTexts.title}</Radix.Title>
          <div className="palette-field row gap-3 soft">
            <Search aria-hidden size={18} />
            <input
              {...field}
              aria-label={searchTexts.placeholder}
              placeholder={searchTexts.placeholder}
              value={filter.text}
              onChange={({ target }) => change({ text: target.value })}
            />
            <Radix.Close asChild>
              <IconButton className="palette-close" icon={X} label={texts.actions.close} />
            </Radix.Close>
          </div>
          <Filters filter={filter} folder={within} onChange={change} />
          {error ? (
            <FormError error={error} />
          ) : (
            <Results id={list} found={found} current={current} onPoint={setCurrent} onOpen={openFound} />
          )}
          <footer className="palette-status row gap-4 apart tiny soft">
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

/** Returns the function that opens a folder, or the preview of a file in its folder. */
function useOpenFound() {
  return ({ is, id, key, folder }: Found) => {
    closePalette()
    const search = is === 'folder' ? { folder: key } : { folder, preview: id }
    navigate({ to: '/files', search })
  }
}
