import { type ReactNode, useMemo } from 'react'
import { SearchField } from '../../../components/fields/search-field.tsx'
import { FormError } from '../../../components/notice.tsx'
import css from '../../../search/palette.css' with { type: 'file' }
import { Results } from '../../../search/results.tsx'
import { useChoice, useSearchResults } from '../../../search/use-results.ts'
import { browseTexts } from '../../../texts/browse.ts'
import { searchTexts } from '../../../texts/search.ts'

interface FindFolderProps {
  text: string
  /** Object keys of folders to leave out with everything below them. */
  outside: readonly string[]
  onType: (text: string) => void
  /** Called with the object key of the chosen folder. */
  onChoose: (key: string) => void
  /** Content in place of the results while the field is empty. */
  children: ReactNode
}

/** Field that finds folders anywhere, and what it found. */
export function FindFolder({ text, outside, onType, onChoose, children }: FindFolderProps) {
  const filter = useMemo(() => ({ text, kind: 'folder' as const, outside }), [text, outside])
  const isSearching = text.trim() !== ''
  const { data, error, isCurrent } = useSearchResults(filter, { needsText: true })
  const found = (isSearching && data?.found) || []
  const { list, current, setCurrent, field } = useChoice({ found, isCurrent }, ({ key }) => onChoose(key))
  const { onKeyDown, ...combobox } = field
  return (
    <>
      <link rel="stylesheet" href={css} precedence="default" />
      <SearchField
        type="text"
        label={browseTexts.findFolder}
        value={text}
        onChange={(typed) => {
          setCurrent(0)
          onType(typed)
        }}
        {...combobox}
        {...(isSearching && { onKeyDown })}
      />
      {isSearching ? (
        <div className="move-folders move-found">
          {error && <FormError error={error} />}
          <Results
            id={list}
            found={found}
            current={current}
            onPoint={setCurrent}
            onOpen={({ key }) => onChoose(key)}
          />
          <p className={found.length > 0 ? 'move-status' : 'move-none'} role="status">
            {isCurrent && data ? statusOf(data) : ''}
          </p>
        </div>
      ) : (
        children
      )}
    </>
  )
}

const statusOf = ({ found, hasMore }: { found: readonly unknown[]; hasMore: boolean }) =>
  found.length === 0 ? browseTexts.noFolderMatches : searchTexts.found(found.length, hasMore)
