import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { kindOf } from '../../../platform/kinds.ts'
import type { HoldfastFile } from '../../api/files.ts'
import type { HostingStats } from '../../api/stats.ts'
import { KindIcon } from '../../components/kind-icon.tsx'
import { Pane } from '../../components/pane.tsx'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { parentKey } from '../../lib/keys.ts'
import { withMarks } from '../../lib/marks.ts'
import { formatWhen } from '../../lib/relative-time.ts'
import { overviewTexts } from '../../texts/overview.ts'
import { texts } from '../../texts.ts'

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
  <div id="largest" className="overview-third">
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
      <p className="lead">{overviewTexts.noneYet}</p>
    ) : (
      <ol className="rows file-rows">{children}</ol>
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
      <Link to="/files" search={{ folder }} title={withMarks(file.key)}>
        {withMarks(file.name)}
      </Link>
      <span className="row-value">{value}</span>
      <small className="row-where">{folder || texts.files.root}</small>
      <small className="row-note">{note}</small>
    </li>
  )
}
