import * as Radix from '@radix-ui/react-dialog'
import { Download, Eye, Share2 } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { type HoldfastFile, useFileDetails } from '../../../api/files.ts'
import { useMe } from '../../../api/session.ts'
import { Sparkline } from '../../../components/charts.tsx'
import { Button } from '../../../components/fields/button.tsx'
import { CopyButton } from '../../../components/fields/copy-field.tsx'
import { Segments, VISIBILITY_OPTIONS } from '../../../components/fields/select.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { DialogHeader } from '../../../components/overlays/dialog.tsx'
import { focusItself, useEscape } from '../../../components/overlays/layers.ts'
import { formatBytes, formatCount, formatMoment, formatUtcDay, withMarks } from '../../../lib/format.ts'
import { parentKey } from '../../../lib/paths.ts'
import { loadStyle } from '../../../lib/style.ts'
import { dialogTexts } from '../../../texts/dialogs.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { texts } from '../../../texts.ts'
import { setVisibility } from '../bulk.ts'
import type { FileCommands } from '../commands.ts'
import { download } from '../downloads.ts'
import { FavoriteButton } from '../favorites.tsx'
import type { FileItem } from '../items.ts'
import { type PictureFacts, usePictureFacts } from '../preview/exif.ts'
import { useItemRights } from '../rights.ts'
import css from './details.css' with { type: 'file' }
import { Versions } from './versions.tsx'

loadStyle(css)

interface DetailsProps {
  file: FileItem
  commands: FileCommands
  onClose: () => void
}

/** Facts about a file beside the list, which stays usable. */
export default function Details({ file, commands, onClose }: DetailsProps) {
  useEscape(onClose)
  const [opener] = useState(() => document.activeElement)
  const panel = useRef<HTMLDivElement>(null)
  const focusOpener = (event: Event) => {
    event.preventDefault()
    const { activeElement } = document
    const isElsewhere = activeElement !== document.body && !panel.current?.contains(activeElement)
    if (opener instanceof HTMLElement && !isElsewhere) opener.focus()
  }
  return (
    <Radix.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Content
          ref={panel}
          className="details-panel column gap-4 scroll focus-place"
          aria-describedby={undefined}
          onOpenAutoFocus={focusItself}
          onCloseAutoFocus={focusOpener}
          // The list beside it is for choosing other files.
          onInteractOutside={(event) => event.preventDefault()}
        >
          <DialogHeader title={file.name}>
            <FavoriteButton item={file} />
          </DialogHeader>
          <div className="row wrap">
            <Button icon={Eye} onClick={() => commands.open(file)}>
              {texts.files.preview}
            </Button>
            <TakeAlong file={file} commands={commands} />
          </div>
          <FileFacts file={file} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Fields of a file that its title and its addresses show. */
type Elsewhere = 'id' | 'name' | 'folderId' | 'url'

/** Returns the facts that all files have, each with its name. */
function factsOf(file: FileItem): Record<Exclude<keyof HoldfastFile, Elsewhere>, [string, ReactNode]> {
  const words = dialogTexts.facts
  return {
    mimeType: [words.type, file.mimeType],
    size: [words.size, formatBytes(file.size)],
    key: [words.folder, withMarks(parentKey(file.key)) || texts.files.root],
    visibility: [words.visibility, <FileVisibility key="visibility" file={file} />],
    createdAt: [words.added, formatMoment(file.createdAt)],
    updatedAt: [words.changed, formatMoment(file.updatedAt)],
  }
}

/** All facts about a file. */
export const FileFacts = ({ file }: { file: FileItem }) => (
  <>
    <Facts
      of={[
        ...Object.values(factsOf(file)),
        [previewTexts.uploader.title, <Uploader key="uploader" id={file.id} />],
      ]}
    />
    <FactsOfPicture file={file} />
    <Versions key={file.id} file={file} />
    <Measured id={file.id} />
  </>
)

/** Name of the account that uploaded a file, once it is known. */
function Uploader({ id }: { id: string }) {
  const { user: me } = useMe()
  const { data } = useFileDetails(id)
  if (!data) return <>&nbsp;</>
  const { uploader } = previewTexts
  const { uploadedBy } = data
  if (!uploadedBy) return uploader.none
  if (uploadedBy.id === me.id) return uploader.you(me.name)
  return uploadedBy.name === null ? uploader.gone : withMarks(uploadedBy.name)
}

/** Facts that a camera wrote into a picture. */
function FactsOfPicture({ file }: { file: FileItem }) {
  const { data } = usePictureFacts(file)
  const facts = Object.entries(shownFacts(data ?? {})).filter(([, value]) => value !== undefined)
  if (facts.length === 0) return null
  return (
    <section className="stack gap-2 own-width small">
      <h3>{previewTexts.photo.title}</h3>
      <Facts of={facts} />
    </section>
  )
}

function shownFacts({ taken, place, ...others }: PictureFacts): Record<string, ReactNode> {
  const words = previewTexts.photo
  return {
    [words.taken]: taken && formatMoment(taken.toISOString()),
    [words.camera]: others.camera && withMarks(others.camera),
    [words.lens]: others.lens && withMarks(others.lens),
    [words.exposure]: others.exposure && withMarks(others.exposure),
    [words.dimensions]: others.dimensions,
    [words.place]: place && <Place {...place} />,
  }
}

/** Coordinates, and a link to a map of them. Only a click tells the map about them. */
const Place = ({ latitude, longitude }: { latitude: number; longitude: number }) => (
  <a
    href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}&zoom=14`}
    target="_blank"
    rel="noreferrer"
  >
    {`${latitude.toFixed(5)}, ${longitude.toFixed(5)}`}
  </a>
)

const Facts = ({ of }: { of: readonly [name: string, value: ReactNode][] }) => (
  <dl className="facts full anywhere">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt className="soft">{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

function FileVisibility({ file }: { file: FileItem }) {
  const { mayMakePublic, mayMakePrivate } = useItemRights([file])
  const mayChange = file.visibility === 'public' ? mayMakePrivate : mayMakePublic
  if (!mayChange) return texts.visibility[file.visibility]
  return (
    <Segments
      label={dialogTexts.facts.visibility}
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
      <section className="stack gap-2 own-width small">
        <h3>{dialogTexts.facts.traffic}</h3>
        {traffic.requests > 0 && (
          <Sparkline
            label={dialogTexts.trafficLabel}
            values={traffic.days.map(({ date, requests }) => ({ name: formatUtcDay(date), value: requests }))}
          />
        )}
        <p>
          {traffic.requests === 0
            ? dialogTexts.noTraffic
            : dialogTexts.traffic(
                formatCount(traffic.requests, texts.nouns.request),
                formatBytes(traffic.bytes),
              )}
        </p>
      </section>
      <section className="stack gap-2 own-width small">
        <h3>{dialogTexts.facts.checksum}</h3>
        <code className="checksum anywhere well">{sha256}</code>
        <CopyButton text={sha256} />
      </section>
    </>
  )
}

/** Buttons that download, share or copy a file. */
export const TakeAlong = ({ file, commands }: { file: FileItem; commands: FileCommands }) => (
  <>
    {useItemRights([file]).mayShare && (
      <Button icon={Share2} onClick={() => commands.share([file])}>
        {texts.files.share}
      </Button>
    )}
    <Button icon={Download} onClick={() => download([file])}>
      {texts.files.download}
    </Button>
  </>
)
