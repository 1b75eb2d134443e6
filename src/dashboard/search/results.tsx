import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { kindOf } from '../../platform/kinds.ts'
import { useReach } from '../api/reach.ts'
import { KindIcon } from '../components/icons.tsx'
import { formatBytes, formatMoment, formatWhen, withMarks } from '../lib/format.ts'
import type { Command } from '../lib/palette.ts'
import { searchTexts } from '../texts/search.ts'
import { type Found, findItems, type SearchFilter } from './find.ts'

/** File, folder or command in a list of results. */
export type Choice = Found | Command

interface ResultsProps<One extends Choice> {
  id: string
  found: readonly One[]
  /** Index of the result that Enter opens. */
  current: number
  onPoint: (index: number) => void
  onOpen: (found: One) => void
  /** Returns the reason for which a result cannot be chosen. */
  problemOf?: ((found: One) => string | undefined) | undefined
}

export const optionId = (list: string, index: number) => `${list}-${index}`

/** List of what a search found. The search field moves in it and opens. */
export const Results = <One extends Choice>({ id, found, current, ...row }: ResultsProps<One>) => (
  <div id={id} className="palette-results grow scroll" role="listbox" aria-label={searchTexts.results}>
    {found.map((one, index) => (
      <Result
        key={one.id}
        {...{ id: optionId(id, index), found: one, index, isCurrent: index === current, ...row }}
      />
    ))}
  </div>
)

type ResultProps<One extends Choice> = Omit<ResultsProps<One>, 'found' | 'current'> & {
  found: One
  index: number
  isCurrent: boolean
}

function Result<One extends Choice>({
  id,
  found,
  index,
  isCurrent,
  onPoint,
  onOpen,
  problemOf,
}: ResultProps<One>) {
  const problem = problemOf?.(found)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field listens to the keys
    <div
      id={id}
      className="palette-result row gap-3"
      role="option"
      aria-selected={isCurrent}
      aria-disabled={problem === undefined ? undefined : true}
      ref={(element) => {
        if (isCurrent) element?.scrollIntoView({ block: 'nearest' })
      }}
      onPointerMove={() => onPoint(index)}
      onClick={() => onOpen(found)}
    >
      {'run' in found ? <CommandRow command={found} /> : <FoundRow found={found} problem={problem} />}
    </div>
  )
}

function CommandRow({ command: { label, icon: Icon, about, shortcut } }: { command: Command }) {
  return (
    <>
      <Icon aria-hidden className="accent" size={20} strokeWidth={1.6} />
      <span className="palette-names stack gap-0 grow">
        <span className="palette-name">{label}</span>
        {about && <small>{about}</small>}
      </span>
      {shortcut && (
        <kbd className="menu-shortcut tiny soft" aria-hidden>
          {shortcut}
        </kbd>
      )}
    </>
  )
}

function FoundRow({ found, problem }: { found: Found; problem: string | undefined }) {
  const { name, mimeType, folder, size, createdAt } = found
  const { top } = useReach()
  return (
    <>
      <KindIcon kind={mimeType === undefined ? 'folder' : kindOf({ name, mimeType })} />
      <span className="palette-names stack gap-0 grow">
        <Name found={found} />
        <small>{withMarks(folder) || top}</small>
        {problem && <small>{problem}</small>}
      </span>
      <small className="palette-facts stack gap-0 rigid digits">
        {size !== undefined && <span>{formatBytes(size)}</span>}
        <span title={formatMoment(createdAt)}>{formatWhen(createdAt)}</span>
      </small>
    </>
  )
}

/** Name with the matching part marked. */
function Name({ found: { name, match } }: { found: Found }) {
  const [start = 0, end = 0] = match ?? []
  return (
    <span className="palette-name">
      {withMarks(name.slice(0, start))}
      {end > start && <mark>{withMarks(name.slice(start, end))}</mark>}
      {withMarks(name.slice(Math.max(start, end)))}
    </span>
  )
}

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
export function useChoice<One>(
  { found, isCurrent }: { found: readonly One[]; isCurrent: boolean },
  onChoose: (found: One) => void,
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
