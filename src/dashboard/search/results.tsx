import { kindOf } from '../../platform/kinds.ts'
import { KindIcon } from '../components/kind-icon.tsx'
import { formatBytes, formatMoment } from '../lib/format.ts'
import { withMarks } from '../lib/marks.ts'
import { formatWhen } from '../lib/relative-time.ts'
import { searchTexts } from '../texts/search.ts'
import { texts } from '../texts.ts'
import type { Found } from './find.ts'

interface ResultsProps {
  id: string
  found: readonly Found[]
  /** Index of the result that Enter opens. */
  current: number
  onPoint: (index: number) => void
  onOpen: (found: Found) => void
}

export const optionId = (list: string, index: number) => `${list}-${index}`

/** List of what a search found. The search field moves in it and opens. */
export const Results = ({ id, found, current, onPoint, onOpen }: ResultsProps) => (
  <div id={id} className="palette-results" role="listbox" aria-label={searchTexts.results}>
    {found.map((one, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field listens to the keys
      <div
        key={one.id}
        id={optionId(id, index)}
        className="palette-result"
        role="option"
        aria-selected={index === current}
        ref={(element) => {
          if (index === current) element?.scrollIntoView({ block: 'nearest' })
        }}
        onPointerMove={() => onPoint(index)}
        onClick={() => onOpen(one)}
      >
        <KindIcon
          kind={one.mimeType === undefined ? 'folder' : kindOf({ name: one.name, mimeType: one.mimeType })}
        />
        <span className="palette-names">
          <Name found={one} />
          <small>{withMarks(one.folder) || texts.files.root}</small>
        </span>
        <small className="palette-facts">
          {one.size !== undefined && <span>{formatBytes(one.size)}</span>}
          <span title={formatMoment(one.createdAt)}>{formatWhen(one.createdAt)}</span>
        </small>
      </div>
    ))}
  </div>
)

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
