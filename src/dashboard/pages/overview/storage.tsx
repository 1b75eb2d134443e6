import type { FileStats } from '../../api/stats.ts'
import { KIND_ICONS } from '../../components/kind-icons.ts'
import { Pane } from '../../components/pane.tsx'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { KINDS, kindOf } from '../../lib/kinds.ts'
import { texts } from '../../texts.ts'

/** Usage of the volume by kind of file. */
export function Storage({ files: { storage, types } }: { files: FileStats }) {
  const { used, available, capacity } = storage
  const other = Math.max(0, capacity - available - used)
  const parts = texts.overview.volumeParts(formatBytes(used), formatBytes(other), formatBytes(available))
  return (
    <Pane
      title={texts.overview.storage}
      className="overview-third"
      aside={<small>{texts.overview.ofCapacity(formatBytes(available), formatBytes(capacity))}</small>}
    >
      <div className="volume">
        <div className="parts" role="img" aria-label={parts}>
          <span className="part" style={{ '--size': used / capacity }} />
          <span className="part part-muted" style={{ '--size': other / capacity }} />
        </div>
        <p className="volume-legend" aria-hidden>
          <span>{texts.overview.stored}</span>
          <span className="is-other">{texts.overview.otherData}</span>
          <span className="is-free">{texts.overview.free}</span>
        </p>
      </div>
      <Kinds types={types} />
    </Pane>
  )
}

/** Sums up media types by kind, largest first. */
const sumKinds = (types: FileStats['types']) =>
  KINDS.map((kind) => {
    const ofKind = types.filter((type) => kindOf(type) === kind)
    return {
      kind,
      size: ofKind.reduce((sum, { size }) => sum + size, 0),
      count: ofKind.reduce((sum, { count }) => sum + count, 0),
    }
  })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.size - a.size)

function Kinds({ types }: Pick<FileStats, 'types'>) {
  const kinds = sumKinds(types)
  const most = Math.max(1, kinds[0]?.size ?? 0)
  if (kinds.length === 0) return <p className="lead">{texts.overview.noFiles}</p>
  return (
    <ul className="kinds">
      {kinds.map(({ kind, size, count }) => {
        const Icon = KIND_ICONS[kind]
        return (
          <li key={kind}>
            <Icon aria-hidden size={16} strokeWidth={1.6} />
            <span>{texts.kinds[kind]}</span>
            <small>{formatCount(count, texts.nouns.file)}</small>
            <span className="row-value">{formatBytes(size)}</span>
            <span className="parts" aria-hidden>
              <span className="part" style={{ '--size': size / most }} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
