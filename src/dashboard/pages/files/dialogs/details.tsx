import { Eye } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFileDetails } from '../../../api/files.ts'
import { useCan } from '../../../api/session.ts'
import { Sparkline } from '../../../components/charts/sparkline.tsx'
import { Button } from '../../../components/fields/button.tsx'
import { CopyButton } from '../../../components/fields/copy-field.tsx'
import { Segments } from '../../../components/fields/segments.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatBytes, formatCount, formatMoment, formatUtcDay } from '../../../lib/format.ts'
import { parentKey } from '../../../lib/keys.ts'
import { withMarks } from '../../../lib/marks.ts'
import { VISIBILITY_OPTIONS } from '../../../lib/options.ts'
import { texts } from '../../../texts.ts'
import { setVisibility } from '../bulk.ts'
import type { FileCommands } from '../commands.ts'
import type { FileItem } from '../items.ts'
import { TakeAlong } from './take-along.tsx'
import { Versions } from './versions.tsx'

interface DetailsProps {
  file: FileItem
  commands: FileCommands
  onClose: () => void
}

/** All facts about a file. */
export const Details = ({ file, commands, onClose }: DetailsProps) => (
  <Dialog title={file.name} size="side" onClose={onClose}>
    <div className="details-actions">
      <Button icon={Eye} onClick={() => commands.open(file)}>
        {texts.files.preview}
      </Button>
      <TakeAlong file={file} commands={commands} />
    </div>
    <dl className="facts">
      <Fact name={texts.files.facts.type}>{file.mimeType}</Fact>
      <Fact name={texts.files.facts.size}>{formatBytes(file.size)}</Fact>
      <Fact name={texts.files.facts.folder}>{withMarks(parentKey(file.key)) || texts.files.root}</Fact>
      <Fact name={texts.files.facts.visibility}>
        <FileVisibility file={file} />
      </Fact>
      <Fact name={texts.files.facts.added}>{formatMoment(file.createdAt)}</Fact>
      <Fact name={texts.files.facts.changed}>{formatMoment(file.updatedAt)}</Fact>
    </dl>
    <Versions file={file} />
    <Measured id={file.id} />
  </Dialog>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function FileVisibility({ file }: { file: FileItem }) {
  const mayWrite = useCan('files:write')
  if (!mayWrite) return texts.visibility[file.visibility]
  return (
    <Segments
      label={texts.files.facts.visibility}
      value={file.visibility}
      options={VISIBILITY_OPTIONS}
      onChoose={(visibility) => void setVisibility([file], visibility)}
    />
  )
}

/** Traffic and checksum of a file. */
function Measured({ id }: { id: string }) {
  const { data, error, refetch } = useFileDetails(id)
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Loading />
  const { traffic, sha256 } = data
  return (
    <>
      <section className="details-section">
        <h3>{texts.files.facts.traffic}</h3>
        <Sparkline
          label={texts.files.trafficLabel}
          values={traffic.days.map(({ date, requests }) => ({ name: formatUtcDay(date), value: requests }))}
        />
        <p>
          {texts.files.traffic(
            formatCount(traffic.requests, texts.nouns.request),
            formatBytes(traffic.bytes),
          )}
        </p>
      </section>
      <section className="details-section">
        <h3>{texts.files.facts.checksum}</h3>
        <code className="checksum">{sha256}</code>
        <CopyButton text={sha256} />
      </section>
    </>
  )
}
