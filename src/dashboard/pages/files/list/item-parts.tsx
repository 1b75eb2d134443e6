import { Globe, Lock } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useFolderSize } from '../../../api/files.ts'
import { SelectBox } from '../../../components/fields/select.tsx'
import { useEscape } from '../../../components/overlays/layers.ts'
import { formatBytes, formatCount, formatItems, splitName, withMarks } from '../../../lib/format.ts'
import type { Selection } from '../../../lib/selection.ts'
import { browseTexts } from '../../../texts/browse.ts'
import { texts } from '../../../texts.ts'
import { type FolderItem, type Item, isFile } from '../items.ts'

interface PartProps {
  item: Item
  selection: Selection<Item>
}

/** Checkbox of an item. The keyboard selects the item itself. */
export const ItemCheckbox = ({ item: { id, name }, selection }: PartProps) => (
  <SelectBox
    id={id}
    name={name}
    selection={selection}
    tabIndex={-1}
    onClick={(event) => event.stopPropagation()}
  />
)

interface VisibilitySignProps {
  item: Item
  /** True if there is room for the word beside the icon. */
  hasWord?: boolean
}

/** Visibility of a file. A folder has none of its own. */
export function VisibilitySign({ item, hasWord = false }: VisibilitySignProps) {
  if (!isFile(item)) return null
  const Icon = item.visibility === 'private' ? Lock : Globe
  const word = texts.visibility[item.visibility]
  return (
    <span className={`visibility-sign is-${item.visibility} rigid soft`} title={word}>
      <Icon aria-hidden size={13} />
      <span className={hasWord ? 'visibility-word' : 'visually-hidden'}>{word}</span>
    </span>
  )
}

interface SizeProps {
  item: Item
  /** True if there is room for the number of files beside the size. */
  hasCount?: boolean
}

/** Size of a file, or of everything below a folder. */
export const ItemSize = ({ item, hasCount = false }: SizeProps) =>
  isFile(item) ? formatBytes(item.size) : <SizeOfFolder folder={item} hasCount={hasCount} />

function SizeOfFolder({ folder, hasCount }: { folder: FolderItem; hasCount: boolean }) {
  const found = useFolderSize(folder)
  if (!found) return hasCount ? texts.files.folder : ''
  const count = formatItems(found)
  if (count === '') return browseTexts.emptyFolder
  const size = formatBytes(found.size)
  return (
    <span title={count}>{hasCount ? `${formatCount(found.files, texts.nouns.file)} · ${size}` : size}</span>
  )
}

interface NameProps {
  item: Item
  isRenaming: boolean
  /** Name that was refused, which the field shows to be corrected. */
  refusedName: string | undefined
  /** Called with the new name, or undefined to keep the old one. */
  onRenamed: (name: string | undefined) => void
}

/**
 * Name of an item, or a field while it is renamed. A long name is cut in its middle. The collection opens the item;
 * not a `<button>`, because Firefox would not drag it.
 */
export function ItemName({ item, isRenaming, refusedName, onRenamed }: NameProps) {
  if (isRenaming) return <RenameField name={item.name} refusedName={refusedName} onRenamed={onRenamed} />
  const name = withMarks(item.name)
  const [start, end] = isFile(item) ? splitName(name) : [name, '']
  return (
    <span role="button" className="item-name" tabIndex={-1} title={name} aria-label={name}>
      <span className="item-name-start">{start}</span>
      {end !== '' && <span>{end}</span>}
    </span>
  )
}

type RenameFieldProps = Pick<NameProps, 'refusedName' | 'onRenamed'> & { name: string }

function RenameField({ name, refusedName, onRenamed }: RenameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const isOver = useRef(false)
  useEffect(() => {
    field.current?.focus()
    const dot = name.lastIndexOf('.')
    field.current?.setSelectionRange(0, dot > 0 ? dot : name.length)
  }, [name])
  const end = (changed: string | undefined) => {
    // Escape and Enter remove the field, which blurs it.
    if (isOver.current) return
    isOver.current = true
    onRenamed(changed === name || changed === '' ? undefined : changed)
  }
  const endByKey = (changed: string | undefined) => {
    end(changed)
    field.current?.closest<HTMLElement>('[data-index]')?.focus()
  }
  useEscape(() => endByKey(undefined))
  return (
    <input
      ref={field}
      className="input rename-field"
      defaultValue={refusedName ?? name}
      aria-invalid={refusedName !== undefined}
      aria-label={texts.files.newName(name)}
      maxLength={255}
      // Left as it was refused, it would be refused again.
      onBlur={({ target }) => end(target.value === refusedName ? undefined : target.value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) endByKey(event.currentTarget.value)
      }}
    />
  )
}
