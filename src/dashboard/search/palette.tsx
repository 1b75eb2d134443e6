import * as Radix from '@radix-ui/react-dialog'
import { Search, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { fold, RANK, rankOf } from '../../platform/fold.ts'
import { IconButton } from '../components/fields/button.tsx'
import { FormError } from '../components/notice.tsx'
import { useEscape, useFocusOfOpener } from '../components/overlays/layers.ts'
import { type Command, closePalette, type Palette } from '../lib/palette.ts'
import { navigate } from '../lib/router.tsx'
import { loadStyle } from '../lib/style.ts'
import { searchTexts } from '../texts/search.ts'
import { texts } from '../texts.ts'
import { isForCommands, useCommands } from './commands.ts'
import { Filters } from './filters.tsx'
import type { Found, SearchFilter } from './find.ts'
import css from './palette.css' with { type: 'file' }
import { type Choice, Results, useChoice, useSearchResults } from './results.tsx'

loadStyle(css)

/** Search over all files, folders and commands as it is typed. */
export default function SearchDialog({ text, within }: Palette) {
  const [filter, setFilter] = useState<SearchFilter>({ text, within })
  const { choices, status, error, isCurrent } = useChoices(filter)
  const { list, current, setCurrent, field } = useChoice({ found: choices, isCurrent }, choose)
  const focusOpener = useFocusOfOpener()
  useEscape(closePalette)
  const change = (changed: Partial<SearchFilter>) => {
    setCurrent(0)
    setFilter((now) => ({ ...now, ...changed }))
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && closePalette()}>
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
          {!isForCommands(filter.text) && <Filters filter={filter} folder={within} onChange={change} />}
          {Boolean(error) && <FormError error={error} />}
          <Results id={list} found={choices} current={current} onPoint={setCurrent} onOpen={choose} />
          <footer className="palette-status row gap-4 apart tiny soft">
            <p role="status">{status}</p>
            <p>{`${searchTexts.keys} · ${searchTexts.forCommands}`}</p>
          </footer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Returns what matches: files and folders whose names begin so, then commands, then other files and folders. */
function useChoices(filter: SearchFilter) {
  const isForFiles = !isForCommands(filter.text)
  const asked = useMemo(() => (isForFiles ? filter : { text: '' }), [filter, isForFiles])
  const search = useSearchResults(asked, { needsText: !isForFiles })
  const commands = useCommands(filter.text)
  const { data, error } = isForFiles ? search : { data: undefined, error: undefined }
  const found = (!error && data?.found) || []
  const text = fold(filter.text.trim())
  const first = found.findIndex(({ name }) => (rankOf(fold(name), text) ?? RANK.inside) > RANK.prefix)
  const at = first === -1 ? found.length : first
  const choices: Choice[] = [...found.slice(0, at), ...commands, ...found.slice(at)]
  const status = isForFiles ? data && statusOf(data, filter, commands) : searchTexts.commands
  return { choices, status, error, isCurrent: search.isCurrent || !isForFiles }
}

function statusOf(
  { found, hasMore }: { found: Found[]; hasMore: boolean },
  { text }: SearchFilter,
  commands: readonly Command[],
): string {
  if (found.length === 0 && commands.length > 0) return searchTexts.commands
  if (found.length === 0) return hasMore ? searchTexts.noneYet : searchTexts.none
  return text.trim() === '' ? searchTexts.newest : searchTexts.found(found.length, hasMore)
}

/** Runs a command, or opens a folder, or the preview of a file in its folder. */
function choose(choice: Choice): void {
  closePalette()
  if ('run' in choice) {
    choice.run()
    return
  }
  const { is, id, key, folder } = choice
  navigate({ to: '/files', search: is === 'folder' ? { folder: key } : { folder, preview: id } })
}
