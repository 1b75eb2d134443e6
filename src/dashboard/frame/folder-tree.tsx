import { useQueries } from '@tanstack/react-query'
import { ChevronRight, Folder as FolderIcon } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Folder, subfoldersQuery } from '../api/files.ts'
import { useReach } from '../api/reach.ts'
import { withMarks } from '../lib/format.ts'
import { compareNaturally } from '../lib/natural.ts'
import { lastSegment, parentKey, trailOf } from '../lib/paths.ts'
import { Link, usePlace } from '../lib/router.tsx'
import { createPreference, createStore, usePreference, useStore } from '../lib/store.ts'
import { loadStyle } from '../lib/style.ts'
import { TypeAhead } from '../pages/files/list/keys.ts'
import { searchTexts } from '../texts/search.ts'
import { dropTarget } from '../uploads/drop-zone.tsx'
import css from './folder-tree.css' with { type: 'file' }
import { SideWidth } from './side-width.tsx'

loadStyle(css)

/** Maximum folders of one level in the tree. The list of their folder shows all. */
const MAX_CHILDREN = 200

const visibility = createPreference('tree', ['hidden', 'shown'], 'hidden')
/** Object keys of the folders that are open in the tree. */
const opened = createStore<ReadonlySet<string>>(new Set())

const setOpen = (keys: readonly string[], isOpen = true) =>
  opened.set((now) => new Set([...now].filter((key) => !keys.includes(key)).concat(isOpen ? keys : [])))

interface Row {
  /** Object key of a folder, or of the folder of those that are left out. */
  key: string
  name: string
  /** True for the row in place of folders that are left out. */
  isRest: boolean
  /** Undefined for a row with nothing below it. */
  isOpen: boolean | undefined
  level: number
  position: number
  /** Number of rows beside it, with itself. */
  size: number
}

interface FolderTreeProps {
  /** Called when a folder is opened. */
  onNavigate?: (() => void) | undefined
}

/** Tree of the folders in the navigation. Each level loads when it is opened. */
export default function FolderTree({ onNavigate }: FolderTreeProps) {
  const [shown, show] = usePreference(visibility)
  const isShown = shown === 'shown'
  const [isNew, setNew] = useState(false)
  return (
    <section className="folder-tree column gap-1" aria-label={searchTexts.folders}>
      {!onNavigate && <SideWidth />}
      <button
        type="button"
        className="tree-toggle row gap-1 tiny soft medium"
        aria-expanded={isShown}
        onClick={() => {
          setNew(true)
          show(isShown ? 'hidden' : 'shown')
        }}
      >
        <ChevronRight aria-hidden size={14} />
        {searchTexts.folders}
      </button>
      {isShown && <Tree isNew={isNew} onNavigate={onNavigate} />}
    </section>
  )
}

/** Returns the rows that are in view of the tree, from its top. */
function useRows(): Row[] {
  const { entries } = useReach()
  const open = useStore(opened)
  const keys = [...(entries ? [] : ['']), ...open]
  const levels = useQueries({ queries: keys.map(subfoldersQuery) })
  const below = new Map(keys.map((key, index) => [key, levels[index]?.data]))
  const rowsOf = (parent: string, folders: readonly Pick<Folder, 'key' | 'name'>[], level: number): Row[] => {
    const listed = folders.toSorted((a, b) => compareNaturally(a.name, b.name)).slice(0, MAX_CHILDREN)
    const left = folders.length - listed.length
    const size = listed.length + (left > 0 ? 1 : 0)
    const rest = { key: parent, name: searchTexts.moreFolders(left), isRest: true, isOpen: undefined }
    return [
      ...listed.flatMap(({ key, name }, index) => {
        const inside = below.get(key)
        const isOpen = inside?.length === 0 ? undefined : open.has(key)
        const row = { key, name, isRest: false, isOpen, level, position: index + 1, size }
        return isOpen && inside ? [row, ...rowsOf(key, inside, level + 1)] : [row]
      }),
      ...(left > 0 ? [{ ...rest, level, position: size, size }] : []),
    ]
  }
  const top = entries?.map(({ key }) => ({ key, name: lastSegment(key) }))
  return rowsOf('', top ?? below.get('') ?? [], 1)
}

const idOf = ({ key, isRest }: Pick<Row, 'key' | 'isRest'>) => `${isRest ? 'rest' : 'tree'}-${key}`

interface TreeProps extends FolderTreeProps {
  /** True for a tree that was hidden: it scrolls into view. */
  isNew: boolean
}

function Tree({ isNew, onNavigate }: TreeProps) {
  const rows = useRows()
  const isThere = rows.length > 0
  const { pathname, search } = usePlace()
  const current = pathname === '/files' ? (search.folder ?? '') : undefined
  const [focused, setFocused] = useState<string>()
  const typing = useRef(new TypeAhead())
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (current) setOpen(trailOf(parentKey(current)).map(({ key }) => key))
  }, [current])
  useEffect(() => {
    if (isNew && isThere) list.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }, [isNew, isThere])
  const stop = [focused, idOf({ key: current ?? '', isRest: false })].find((id) =>
    rows.some((row) => idOf(row) === id),
  )
  const focus = (row: Row | undefined) => {
    if (!row) return
    setFocused(idOf(row))
    list.current?.querySelector<HTMLElement>(`[id="${CSS.escape(idOf(row))}"]`)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = rows.findIndex((row) => idOf(row) === document.activeElement?.id)
    const row = rows[at]
    if (!row) return
    const action = actionOf(event, rows, at)
    if (action) action(focus)
    else if (typing.current.takes(event)) focus(rows[typing.current.find(event.key, rows, at)])
    else return
    event.preventDefault()
  }
  if (!isThere) return null
  return (
    <div
      ref={list}
      role="tree"
      aria-label={searchTexts.folders}
      className="tree scroll"
      onKeyDown={onKeyDown}
    >
      {rows.map((row, index) => (
        <TreeRow
          key={idOf(row)}
          row={row}
          isCurrent={row.key === current && !row.isRest}
          isStop={stop ? idOf(row) === stop : index === 0}
          onFocus={() => setFocused(idOf(row))}
          onNavigate={onNavigate}
        />
      ))}
    </div>
  )
}

/** Returns what a key does with a row (APG, Tree View). Enter follows the row's link. */
function actionOf(
  { key, altKey, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLElement>,
  rows: readonly Row[],
  at: number,
): ((focus: (row: Row | undefined) => void) => void) | undefined {
  const row = rows[at]
  if (!row || altKey || ctrlKey || metaKey) return undefined
  switch (key) {
    case 'ArrowDown':
      return (focus) => focus(rows[at + 1])
    case 'ArrowUp':
      return (focus) => focus(rows[at - 1])
    case 'Home':
      return (focus) => focus(rows[0])
    case 'End':
      return (focus) => focus(rows.at(-1))
    case 'ArrowRight':
      if (row.isOpen === false) return () => setOpen([row.key])
      return (focus) => row.isOpen && (rows[at + 1]?.level ?? 0) > row.level && focus(rows[at + 1])
    case 'ArrowLeft':
      if (row.isOpen) return () => setOpen([row.key], false)
      return (focus) => focus(rows.slice(0, at).findLast(({ level }) => level < row.level))
    case ' ':
      return () => currentTarget.querySelector<HTMLElement>(':focus')?.click()
    default:
      return undefined
  }
}

interface TreeRowProps extends FolderTreeProps {
  row: Row
  isCurrent: boolean
  /** True for the row that Tab reaches. */
  isStop: boolean
  onFocus: () => void
}

const TreeRow = ({ row, isCurrent, isStop, onFocus, onNavigate }: TreeRowProps) => (
  <Link
    id={idOf(row)}
    to="/files"
    search={{ folder: row.key }}
    role="treeitem"
    className="tree-row row gap-1 small soft"
    tabIndex={isStop ? 0 : -1}
    aria-level={row.level}
    aria-posinset={row.position}
    aria-setsize={row.size}
    aria-expanded={row.isOpen}
    aria-current={isCurrent ? 'page' : undefined}
    title={withMarks(row.name)}
    style={{ '--level': row.level }}
    onFocus={onFocus}
    onClick={(event) => {
      if (event.target instanceof Element && event.target.closest('.tree-chevron')) {
        event.preventDefault()
        setOpen([row.key], !row.isOpen)
      } else onNavigate?.()
    }}
    {...(!row.isRest && dropTarget(row.key))}
  >
    <span className="tree-chevron" aria-hidden>
      {row.isOpen !== undefined && <ChevronRight size={14} />}
    </span>
    {!row.isRest && <FolderIcon aria-hidden className="rigid" size={16} />}
    <span className="cut">{withMarks(row.name)}</span>
  </Link>
)
