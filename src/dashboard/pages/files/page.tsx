import { Link } from '@tanstack/react-router'
import { Compass, FolderPlus, SearchX } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { hasStatus } from '../../api/client.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../components/fields/button.tsx'
import { Empty, Failure, FormError, Loading } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { lastSegment } from '../../lib/keys.ts'
import { usePreference } from '../../lib/preference.ts'
import { useSelection } from '../../lib/selection.ts'
import { texts } from '../../texts.ts'
import { uploadTarget } from '../../uploads/target.ts'
import { Breadcrumb } from './breadcrumb.tsx'
import { type Overlay, useFileCommands } from './commands.ts'
import { Overlays } from './dialogs/overlays.tsx'
import { FirstSteps } from './first-steps.tsx'
import { type Filter, folderIdOf, isFiltering } from './items.ts'
import { FileGrid } from './list/grid.tsx'
import { FileList } from './list/list.tsx'
import { SelectionBar } from './list/selection-bar.tsx'
import { Toolbar } from './list/toolbar.tsx'
import { UploadButtons } from './upload-buttons.tsx'
import { useItems } from './use-items.ts'
import { layoutPreference, useFolderKey } from './view.ts'

/** Page of a folder. Each folder has its own search and selection. */
export default function FilesPage() {
  const folder = useFolderKey()
  return <FolderPage key={folder} folder={folder} />
}

function FolderPage({ folder }: { folder: string }) {
  const mayWrite = useCan('files:write')
  const [filter, setFilter] = useState<Filter>({ search: '', kind: 'all' })
  const [overlay, setOverlay] = useState<Overlay>()
  const [layout] = usePreference(layoutPreference)
  const content = useItems(folder, filter)
  const selection = useSelection(content.items)
  const commands = useFileCommands(setOverlay)
  useUploadTarget(folder)
  const isWhole =
    content.isComplete && !isFiltering(filter) && selection.items.length === content.items.length

  const Layout = layout === 'list' ? FileList : FileGrid
  return (
    <Page
      title={lastSegment(folder) || texts.pages.files}
      isWide
      heading={<Breadcrumb folder={folder} />}
      actions={
        mayWrite &&
        !isMissing(content.error) && (
          <>
            <Button icon={FolderPlus} onClick={() => setOverlay({ is: 'new-folder' })}>
              {texts.files.newFolder}
            </Button>
            <UploadButtons folder={folder} />
          </>
        )
      }
    >
      {selection.items.length > 0 ? (
        <SelectionBar
          selection={selection}
          commands={commands}
          whole={isWhole ? folderIdOf(selection.items) : undefined}
        />
      ) : (
        !content.isEmpty && <Toolbar filter={filter} onFilter={setFilter} />
      )}
      <Content content={content} folder={folder}>
        <Layout items={content.items} selection={selection} commands={commands} />
      </Content>
      <p className="page-status" role="status">
        {content.status}
      </p>
      {Boolean(content.brokenOff) && <BrokenOff error={content.brokenOff} onRetry={content.retry} />}
      <Overlays
        overlay={overlay}
        folder={folder}
        items={content.items}
        commands={commands}
        onClose={() => setOverlay(undefined)}
        onMoved={selection.clear}
      />
    </Page>
  )
}

/** Message for a large folder whose rest failed to load. */
const BrokenOff = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <div className="broken-off">
    <FormError error={error} />
    <Button onClick={onRetry}>{texts.files.loadRest}</Button>
  </div>
)

/** Rows drawn while a folder loads. */
const SKELETON_ROWS = 8

interface ContentProps {
  content: ReturnType<typeof useItems>
  folder: string
  /** Rendered items. */
  children: ReactNode
}

function Content({ content, folder, children }: ContentProps) {
  if (isMissing(content.error)) return <MissingFolder />
  if (content.error) return <Failure error={content.error} onRetry={content.retry} />
  if (content.isLoading) return <Loading rows={SKELETON_ROWS} />
  if (content.isEmpty) return <FirstSteps folder={folder} />
  return content.items.length > 0 ? children : <Empty icon={SearchX} title={texts.files.noMatch} />
}

const isMissing = (error: unknown) => hasStatus(error, 404)

const MissingFolder = () => (
  <Empty icon={Compass} title={texts.notFound.folder}>
    <p>{texts.notFound.text}</p>
    <Link to="/files">{texts.notFound.files}</Link>
  </Empty>
)

/** Sends dropped files to the open folder. */
function useUploadTarget(folder: string): void {
  useEffect(() => {
    uploadTarget.set(() => folder)
    return () => uploadTarget.set(() => '')
  }, [folder])
}
