import { History, type LucideIcon, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { KINDS, kindOf } from '../../../platform/kinds.ts'
import type { HoldfastFile } from '../../api/files.ts'
import type { FileStats, HostingStats } from '../../api/instance.ts'
import { KindIcon, tintOf } from '../../components/icons.tsx'
import { Pane } from '../../components/page.tsx'
import { formatBytes, formatCount, formatWhen, withMarks } from '../../lib/format.ts'
import { parentKey } from '../../lib/paths.ts'
import { Link } from '../../lib/router.tsx'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

/** Usage of the volume by kind of file. */
export function Storage({ files: { storage, types, trash, versions } }: { files: FileStats }) {
  const { used, available, capacity } = storage
  const removed = trash.size + versions.size
  const other = Math.max(0, capacity - available - used - removed)
  const parts = overviewTexts.volumeParts({
    stored: formatBytes(used),
    removed: removed > 0 ? formatBytes(removed) : undefined,
    other: formatBytes(other),
    left: formatBytes(available),
  })
  return (
    <Pane
      title={overviewTexts.storage}
      className="overview-third"
      aside={<small>{overviewTexts.ofCapacity(formatBytes(available), formatBytes(capacity))}</small>}
    >
      <div className="stack gap-2">
        <div className="parts" role="img" aria-label={parts}>
          <span className="part" style={{ '--size': used / capacity }} />
          {removed > 0 && <span className="part part-removed" style={{ '--size': removed / capacity }} />}
          <span className="part part-muted" style={{ '--size': other / capacity }} />
        </div>
        <p className="volume-legend row wrap tiny soft" aria-hidden>
          <span>{overviewTexts.stored}</span>
          {removed > 0 && <span className="is-removed">{overviewTexts.removed}</span>}
          <span className="is-other">{overviewTexts.otherData}</span>
          <span className="is-free">{overviewTexts.free}</span>
        </p>
      </div>
      <Kinds types={types} />
      {removed > 0 && <Removed trash={trash} versions={versions} />}
    </Pane>
  )
}

/** Space of what can still be restored. */
const Removed = ({ trash, versions }: Pick<FileStats, 'trash' | 'versions'>) => (
  <ul className="kinds kinds-removed stack gap-3 small">
    <RemovedRow icon={Trash2} name={texts.pages.trash} total={trash} />
    <RemovedRow icon={History} name={overviewTexts.versions} total={versions} />
  </ul>
)

interface RemovedRowProps {
  icon: LucideIcon
  name: string
  total: FileStats['trash']
}

const RemovedRow = ({ icon: Icon, name, total: { count, size } }: RemovedRowProps) => (
  <li>
    <Icon aria-hidden className="soft" size={16} strokeWidth={1.6} />
    <span>{name}</span>
    <small>{formatCount(count, texts.nouns.file)}</small>
    <span className="row-value digits">{formatBytes(size)}</span>
  </li>
)

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
  if (kinds.length === 0) return <p className="note">{overviewTexts.noFiles}</p>
  return (
    <ul className="kinds stack gap-3 small">
      {kinds.map(({ kind, size, count }) => (
        <li key={kind}>
          <KindIcon kind={kind} size={16} />
          <span>{texts.kinds[kind]}</span>
          <small>{formatCount(count, texts.nouns.file)}</small>
          <span className="row-value digits">{formatBytes(size)}</span>
          <span className="parts" aria-hidden>
            <span className="part" style={{ ...tintOf(kind), '--size': size / most }} />
          </span>
        </li>
      ))}
    </ul>
  )
}

export const TopFiles = ({ top }: Pick<HostingStats, 'top'>) => (
  <FilePane title={overviewTexts.top} isEmpty={top.length === 0}>
    {top.map(({ file, requests, bytes }) => (
      <FileRow
        key={file.id}
        file={file}
        value={formatCount(requests, texts.nouns.request)}
        note={overviewTexts.sent(formatBytes(bytes))}
      />
    ))}
  </FilePane>
)

export const LargestFiles = ({ files }: { files: HoldfastFile[] }) => (
  <div id="largest" className="overview-third stack">
    <FilePane title={overviewTexts.largest} isEmpty={files.length === 0}>
      {files.map((file) => (
        <FileRow key={file.id} file={file} value={formatBytes(file.size)} note={formatWhen(file.createdAt)} />
      ))}
    </FilePane>
  </div>
)

export const RecentFiles = ({ files }: { files: HoldfastFile[] }) => (
  <FilePane title={overviewTexts.recent} isEmpty={files.length === 0}>
    {files.map((file) => (
      <FileRow key={file.id} file={file} value={formatWhen(file.createdAt)} note={formatBytes(file.size)} />
    ))}
  </FilePane>
)

interface FilePaneProps {
  title: string
  isEmpty: boolean
  children: ReactNode
}

const FilePane = ({ title, isEmpty, children }: FilePaneProps) => (
  <Pane title={title} className="overview-third">
    {isEmpty ? (
      <p className="note">{overviewTexts.noneYet}</p>
    ) : (
      <ol className="rows file-rows stack gap-3 small">{children}</ol>
    )}
  </Pane>
)

interface FileRowProps {
  file: HoldfastFile
  value: string
  note: string
}

/** Row of a file, linked to its folder. */
function FileRow({ file, value, note }: FileRowProps) {
  const folder = parentKey(file.key)
  return (
    <li>
      <KindIcon kind={kindOf(file)} size={18} />
      <Link to="/files" search={{ folder }} title={withMarks(file.key)} className="medium cut">
        {withMarks(file.name)}
      </Link>
      <span className="row-value digits">{value}</span>
      <small className="cut">{folder || texts.files.root}</small>
      <small className="row-value digits">{note}</small>
    </li>
  )
}
