import { ChevronRight, Folder, FolderPlus } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { createFolder, useSubfolders } from '../../../api/files.ts'
import { Button, DialogActions } from '../../../components/fields/button.tsx'
import { SearchField, TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { Failure, FormError, Loading } from '../../../components/notice.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { useEscape } from '../../../components/overlays/layers.ts'
import { formatItems, withMarks } from '../../../lib/format.ts'
import { isWithin, joinKey, lastSegment, trailOf } from '../../../lib/paths.ts'
import css from '../../../search/palette.css' with { type: 'file' }
import { Results, useChoice, useSearchResults } from '../../../search/results.tsx'
import { browseTexts } from '../../../texts/browse.ts'
import { dialogTexts } from '../../../texts/dialogs.ts'
import { searchTexts } from '../../../texts/search.ts'
import { texts } from '../../../texts.ts'
import { moveItems } from '../bulk.ts'
import { countItems, type Item, isFolder } from '../items.ts'

interface MoveProps {
  items: Item[]
  /** Object key of the folder that contains the items. */
  from: string
  onClose: () => void
  onMoved: () => void
}

/** Dialog that chooses a target, by name or folder by folder. */
export default function Move({ items, from, onClose, onMoved }: MoveProps) {
  const [target, setTarget] = useState(from)
  const [isNaming, setNaming] = useState(false)
  const [text, setText] = useState('')
  const mover = useRef<HTMLButtonElement>(null)
  // A folder cannot be moved into itself.
  const outside = useMemo(() => items.filter(isFolder).map(({ key }) => key), [items])
  useEscape(() => setText(''), text !== '')
  const open = (key: string) => {
    setNaming(false)
    setText('')
    setTarget(key)
  }
  const choose = (key: string) => {
    // The button is disabled until the target changes.
    flushSync(() => open(key))
    mover.current?.focus()
  }
  const toggleNaming = () => {
    setText('')
    setNaming(!isNaming)
  }
  const move = () => {
    onMoved()
    onClose()
    void moveItems(items, target)
  }
  return (
    <Dialog title={dialogTexts.moveTitle(whatOf(items))} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it moves the focus between its buttons */}
      <div className="move-places stack gap-3" onKeyDown={moveFocus}>
        <FindFolder text={text} outside={outside} onType={setText} onChoose={choose}>
          <Trail target={target} onOpen={open} />
          <Subfolders target={target} outside={outside} isFirst={target === from} onOpen={open} />
        </FindFolder>
      </div>
      {isNaming && <NameField target={target} onMade={choose} />}
      <DialogActions>
        <Button look="quiet" icon={FolderPlus} aria-expanded={isNaming} onClick={toggleNaming}>
          {texts.files.newFolder}
        </Button>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button ref={mover} look="primary" disabled={target === from} onClick={move}>
          {dialogTexts.moveTo(withMarks(lastSegment(target)))}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Returns the name of one item, or the number of several. */
function whatOf(items: readonly Item[]): string {
  const [only, ...others] = items
  return only && others.length === 0
    ? texts.files.quoted(withMarks(only.name))
    : formatItems(countItems(items))
}

/** Field that creates a folder in the target and opens it. */
function NameField({ target, onMade }: { target: string; onMade: (key: string) => void }) {
  const create = useFormMutation({
    mutationFn: async (name: string) => {
      const key = joinKey(target, name)
      await createFolder(key)
      return key
    },
    onSuccess: onMade,
  })
  return (
    <Form
      mutation={create}
      action={texts.files.create}
      onSubmit={(form) => create.mutate(String(form.get('name')).trim())}
    >
      <TextField
        label={dialogTexts.folderName}
        name="name"
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
    </Form>
  )
}

interface PlaceProps {
  target: string
  onOpen: (key: string) => void
}

const Trail = ({ target, onOpen }: PlaceProps) => (
  <nav className="move-trail row gap-1 wrap small" aria-label={texts.files.breadcrumb}>
    {[{ name: texts.files.root, key: '' }, ...trailOf(target)].map(({ name, key }) => (
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
  /** True for the folder that the dialog opened with. */
  isFirst: boolean
}

function Subfolders({ target, outside, isFirst, onOpen }: SubfoldersProps) {
  const { data, error, refetch } = useSubfolders(target)
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each folder takes the focus of the button that opened it
  useEffect(() => {
    const isLost = document.activeElement?.matches('body, .dialog')
    if (data && !isFirst && isLost) (list.current?.querySelector('button') ?? list.current)?.focus()
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
              <button type="button" className="row gap-3 full" onClick={() => onOpen(key)}>
                <Folder aria-hidden className="accent" size={18} />
                <span className="cut">{withMarks(name)}</span>
                <ChevronRight aria-hidden className="soft" size={16} />
              </button>
            </li>
          ))}
      </ul>
    </div>
  )
}

/** Moves the focus with the arrow keys between the field and the folders below it. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
  const step = steps[event.key]
  if (step === undefined || event.defaultPrevented) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, .move-list button')]
  stops[stops.findIndex((stop) => stop.matches(':focus')) + step]?.focus()
  event.preventDefault()
}

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
        <div className="move-folders column gap-0 scroll move-found">
          {error && <FormError error={error} />}
          <Results
            id={list}
            found={found}
            current={current}
            onPoint={setCurrent}
            onOpen={({ key }) => onChoose(key)}
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
