import { ChevronRight, Folder as FolderIcon } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { HoldfastError } from '../../client/index.ts'
import { client } from '../api/client.ts'
import { type Folder, useSubfolders } from '../api/files.ts'
import { useReach } from '../api/reach.ts'
import { SearchField } from '../components/fields/field.tsx'
import { Failure, FormError, Loading } from '../components/notice.tsx'
import { useEscape } from '../components/overlays/layers.ts'
import { withMarks } from '../lib/format.ts'
import { isWithin, parentKey } from '../lib/paths.ts'
import { loadStyle } from '../lib/style.ts'
import { browseTexts } from '../texts/browse.ts'
import { dialogTexts } from '../texts/dialogs.ts'
import { searchTexts } from '../texts/search.ts'
import { texts } from '../texts.ts'
import type { Found } from './find.ts'
import css from './palette.css' with { type: 'file' }
import { Results, useChoice, useSearchResults } from './results.tsx'

loadStyle(css)

interface FolderPickerProps {
  /** Object key of the chosen folder. */
  target: string
  /** Object key of the folder that it opened with. */
  start?: string
  /** Object keys of folders to leave out with everything below them. */
  outside?: readonly string[]
  /** Returns the reason for which neither the folder at an object key nor one below it can be chosen. */
  problemOf?: ((key: string) => string | undefined) | undefined
  /** Called with the object key of a folder that was opened on the way. */
  onOpen: (key: string) => void
  /** Called with the object key of a folder that a search found. */
  onChoose?: (key: string) => void
}

const NONE: readonly string[] = []

/** Chooses a folder, by name or folder by folder. */
export function FolderPicker(props: FolderPickerProps) {
  const { target, start, outside = NONE, problemOf = () => undefined, onOpen, onChoose = onOpen } = props
  const [text, setText] = useState('')
  useEscape(() => setText(''), text !== '')
  const choose = (key: string) => {
    setText('')
    onChoose(key)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it moves the focus between its buttons
    <div className="move-places stack gap-3" onKeyDown={moveFocus}>
      <FindFolder {...{ text, outside, problemOf }} onType={setText} onChoose={choose}>
        <Trail target={target} onOpen={onOpen} />
        <Subfolders {...{ target, outside, problemOf, onOpen }} isFirst={target === start} />
      </FindFolder>
    </div>
  )
}

/** Finds a folder at an object key. @throws {HoldfastError} */
export async function findFolder(key: string): Promise<Folder> {
  const beside = await client.folders.folders({ key: parentKey(key) })
  const found = beside.find((folder) => folder.key === key)
  if (!found) throw new HoldfastError(texts.notFound.folder, { status: 404 })
  return found
}

interface PlaceProps {
  target: string
  onOpen: (key: string) => void
}

const Trail = ({ target, onOpen }: PlaceProps) => (
  <nav className="move-trail row gap-1 wrap small" aria-label={texts.files.breadcrumb}>
    {useReach()
      .trailTo(target)
      .map(({ name, key }) => (
        <button
          key={key}
          type="button"
          aria-current={key === target ? 'location' : undefined}
          onClick={() => onOpen(key)}
        >
          {withMarks(name)}
        </button>
      ))}
  </nav>
)

interface SubfoldersProps extends PlaceProps {
  /** Object keys of folders that are not offered. */
  outside: readonly string[]
  problemOf: (key: string) => string | undefined
  /** True for the folder that the dialog opened with. */
  isFirst: boolean
}

function Subfolders({ target, outside, problemOf, isFirst, onOpen }: SubfoldersProps) {
  const { data, error, refetch } = useSubfolders(target)
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each folder takes the focus of the button that opened it
  useEffect(() => {
    const isLost = document.activeElement?.matches('body, .dialog')
    if (data && !isFirst && isLost)
      (list.current?.querySelector<HTMLElement>(FOLDER_BUTTON) ?? list.current)?.focus()
  }, [data, target])
  const offered = data?.filter(({ key }) => !outside.some((folder) => isWithin(key, folder)))
  return (
    <div ref={list} className="move-folders column gap-0 scroll focus-place" tabIndex={-1}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!error && !offered && <Loading />}
      {offered?.length === 0 && <p className="move-none soft">{dialogTexts.noFolders}</p>}
      <ul className="move-list">
        {offered
          ?.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
          .map(({ id, name, key }) => (
            <li key={id}>
              <FolderButton name={name} problem={problemOf(key)} onOpen={() => onOpen(key)} />
            </li>
          ))}
      </ul>
    </div>
  )
}

const FOLDER_BUTTON = 'button:enabled'

interface FolderButtonProps {
  name: string
  problem: string | undefined
  onOpen: () => void
}

const FolderButton = ({ name, problem, onOpen }: FolderButtonProps) => (
  <button type="button" className="row gap-3 full" disabled={problem !== undefined} onClick={onOpen}>
    <FolderIcon aria-hidden className="accent rigid" size={18} />
    <span className="stack gap-0 grow fit">
      <span className="cut">{withMarks(name)}</span>
      {problem && <small>{problem}</small>}
    </span>
    {!problem && <ChevronRight aria-hidden className="soft rigid" size={16} />}
  </button>
)

/** Moves the focus with the arrow keys between the field and the folders below it. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  // Enter in an empty field would submit the form around it.
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
  const step = steps[event.key]
  if (step === undefined || event.defaultPrevented) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(`input, .move-list ${FOLDER_BUTTON}`)]
  stops[stops.findIndex((stop) => stop.matches(':focus')) + step]?.focus()
  event.preventDefault()
}

interface FindFolderProps {
  text: string
  /** Object keys of folders to leave out with everything below them. */
  outside: readonly string[]
  problemOf: (key: string) => string | undefined
  onType: (text: string) => void
  /** Called with the object key of the chosen folder. */
  onChoose: (key: string) => void
  /** Content in place of the results while the field is empty. */
  children: ReactNode
}

/** Field that finds folders anywhere, and what it found. */
function FindFolder({ text, outside, problemOf, onType, onChoose, children }: FindFolderProps) {
  const filter = useMemo(() => ({ text, kind: 'folder' as const, outside }), [text, outside])
  const isSearching = text.trim() !== ''
  const { data, error, isCurrent } = useSearchResults(filter, { needsText: true })
  const found = (isSearching && data?.found) || []
  const choose = ({ key }: Found) => problemOf(key) === undefined && onChoose(key)
  const { list, current, setCurrent, field } = useChoice({ found, isCurrent }, choose)
  const { onKeyDown, ...combobox } = field
  return (
    <>
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
        <div className="move-folders column gap-0 scroll move-found">
          {error && <FormError error={error} />}
          <Results
            id={list}
            found={found}
            current={current}
            onPoint={setCurrent}
            onOpen={choose}
            problemOf={({ key }) => problemOf(key)}
          />
          <p className={found.length > 0 ? 'move-status tiny soft' : 'move-none soft'} role="status">
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
