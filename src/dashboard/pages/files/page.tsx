import { ChevronRight, ClipboardPaste, Compass, FolderLock, Plus, Search, SearchX } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { hasStatus } from '../../api/client.ts'
import { useMayCopy, useMayWriteIn, useReach } from '../../api/reach.ts'
import { useMe } from '../../api/session.ts'
import { undoLatest } from '../../bulk/job.ts'
import { Button } from '../../components/fields/button.tsx'
import { lazyComponent } from '../../components/lazy.tsx'
import { Empty, Failure, FormError, Loading } from '../../components/notice.tsx'
import { CommandItems, Menu } from '../../components/overlays/menu.tsx'
import { Page } from '../../components/page.tsx'
import { withMarks } from '../../lib/format.ts'
import { openPalette } from '../../lib/palette.ts'
import { isWithin, lastSegment } from '../../lib/paths.ts'
import { Link, Navigate, type Search as Parameters } from '../../lib/router.tsx'
import { type Selection, useSelection } from '../../lib/selection.ts'
import { usePreference } from '../../lib/store.ts'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { uploadTarget, uploadVisibility } from '../../uploads/collect.ts'
import { dropTarget } from '../../uploads/drop-zone.tsx'
import { pasteItems, useCanPaste, useClipboard } from './clipboard.ts'
import { type FileCommands, type Overlay, useFileCommands } from './commands.ts'
import { folderIdOf, type Item, isFile, isFiltering } from './items.ts'
import { FileGrid } from './list/grid.tsx'
import { FileList } from './list/list.tsx'
import { useContextMenu } from './list/menus.tsx'
import type { OpenMenu } from './list/rubber-band.ts'
import { SelectionBar, Toolbar } from './list/toolbar.tsx'
import { additionsTo, type Creation } from './menu.ts'
import { usePreviewedId } from './preview/address.ts'
import { FirstSteps, UploadButton, UploadVisibility } from './upload-buttons.tsx'
import { useItems } from './use-items.ts'
import { usePageKeys } from './use-page-keys.ts'
import { layoutPreference, useFilter, useFolderKey, useOpenFolder, useReceivedBatch } from './view.ts'

const Preview = lazyComponent(() => import('./preview/viewer.tsx'))
const Overlays = lazyComponent(() => import('./dialogs/overlays.tsx'), { isQuiet: true })
const Received = lazyComponent(() => import('../../received/dialog.tsx'))

export const loadOverlays = Overlays.load

/** Page of a folder. Each folder has its own search and selection. */
export default function FilesPage() {
  const folder = useFolderKey()
  // Elsewhere the choice would apply to drops without being visible.
  useEffect(() => () => uploadVisibility.set(() => undefined), [])
  const { entries } = useReach()
  const [first, ...others] = entries ?? []
  if (first && others.length === 0 && !isWithin(folder, first.key))
    return <Navigate to="/files" search={(now: Parameters) => ({ ...now, folder: first.key })} replace />
  return <FolderPage key={folder} folder={folder} />
}

function FolderPage({ folder }: { folder: string }) {
  const [filter, setFilter] = useFilter()
  const [overlay, setOverlay] = useState<Overlay>()
  const [layout] = usePreference(layoutPreference)
  const content = useItems(folder, filter)
  const selection = useSelection(content.items)
  const mayWrite = useMayWriteIn()(folder)
  const { entries, trailTo } = useReach()
  const commands = useFileCommands(folder, setOverlay)
  const previewedId = usePreviewedId()
  const batch = useReceivedBatch()
  useUploadTarget(folder)
  useDetailsOfSelected(selection.items, setOverlay)
  useSelectionOfPreview(previewedId, selection)
  const isWhole =
    content.isComplete && !isFiltering(filter) && selection.items.length === content.items.length

  const whole = isWhole ? folderIdOf(selection.items) : undefined
  const newFolder = () => setOverlay({ is: 'new-folder' })
  const newFile = () => setOverlay({ is: 'new-file' })
  const { openMenu, menu } = useContextMenu({
    ...{ folder, selection, commands, whole },
    isEmpty: content.items.length === 0,
    ...{ newFolder, newFile },
  })
  const openFolder = useOpenFolder()
  usePageKeys({
    search: () => {
      flushSync(selection.clear)
      focusSearch()
    },
    help: () => setOverlay({ is: 'help' }),
    toParent: () => {
      const above = trailTo(folder).at(-2)
      if (above) openFolder(above.key)
    },
    selectAll: selection.selectAll,
    clear: selection.clear,
    undo: undoLatest,
    ...keysOf(selection.items, commands),
  })
  useClipboard({ folder, selected: selection.items, mayWrite, mayCopy: useMayCopy() })

  const Layout = layout === 'list' ? FileList : FileGrid
  return (
    <Page
      title={lastSegment(folder) || texts.pages.files}
      heading={<Breadcrumb folder={folder} />}
      actions={mayWrite && !isMissing(content.error) && <Additions {...{ folder, newFolder, newFile }} />}
    >
      {selection.items.length > 0 ? (
        <SelectionBar selection={selection} commands={commands} whole={whole} />
      ) : (
        !content.isEmpty && <Toolbar filter={filter} onFilter={setFilter} />
      )}
      <Content {...{ content, folder, openMenu }} isLocked={entries?.length === 0} searched={filter.search}>
        <Layout
          items={content.items}
          selection={selection}
          commands={commands}
          openMenu={openMenu}
          shownId={previewedId}
        />
      </Content>
      <p className="page-status note digits" role="status">
        {content.status}
      </p>
      {content.items.length > 0 && <SearchAll folder={folder} text={filter.search} />}
      {Boolean(content.brokenOff) && <BrokenOff error={content.brokenOff} onRetry={content.retry} />}
      {previewedId !== undefined && <Preview id={previewedId} items={content.items} commands={commands} />}
      {menu}
      {mayWrite && batch !== '' && <Received batch={batch} folder={folder} />}
      {overlay && (
        <Overlays
          overlay={overlay}
          folder={folder}
          items={content.items}
          commands={commands}
          onClose={() => setOverlay(undefined)}
          onMoved={selection.clear}
        />
      )}
    </Page>
  )
}

/** Returns what keys do with a selection; nothing without one. */
const keysOf = (items: Item[], commands: FileCommands) => ({
  remove: () => items.length > 0 && commands.remove(items),
  removeForGood: () => items.length > 0 && commands.removeForGood(items),
  star: () => items.length > 0 && commands.star(items),
  rename: () => items[0] && items.length === 1 && commands.rename(items[0]),
})

/** Button that searches below the folder, and from there everywhere. */
const SearchAll = ({ folder, text }: { folder: string; text: string }) =>
  text.trim() !== '' && (
    <Button
      look="quiet"
      icon={Search}
      className="search-all"
      onClick={() => openPalette({ text, within: folder || undefined })}
    >
      {browseTexts.searchAll}
    </Button>
  )

/** Buttons that add to the folder. */
function Additions({ folder, ...creation }: { folder: string } & Creation) {
  const canPaste = useCanPaste(folder)
  return (
    <>
      {canPaste && (
        <Button icon={ClipboardPaste} className="paste-button" onClick={() => void pasteItems(folder)}>
          {browseTexts.paste}
        </Button>
      )}
      <Menu trigger={<Button icon={Plus}>{texts.files.new}</Button>}>
        <CommandItems groups={additionsTo(folder, creation)} />
      </Menu>
      <UploadVisibility folder={folder} />
      <UploadButton folder={folder} />
    </>
  )
}

/** Focuses the search field, which is there once nothing is selected. */
const focusSearch = () => document.querySelector<HTMLElement>('.toolbar [type=search]')?.focus()

/** Message for a large folder whose rest failed to load. */
const BrokenOff = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <div className="row gap-3 wrap">
    <FormError error={error} />
    <Button onClick={onRetry}>{texts.files.loadRest}</Button>
  </div>
)

/** Rows drawn while a folder loads. */
const SKELETON_ROWS = 8

interface ContentProps {
  content: ReturnType<typeof useItems>
  folder: string
  /** True for an account that was let into no folder yet. */
  isLocked: boolean
  /** Text of the search in this folder. */
  searched: string
  openMenu: OpenMenu
  /** Rendered items. */
  children: ReactNode
}

function Content({ content, folder, isLocked, searched, openMenu, children }: ContentProps) {
  if (isMissing(content.error)) return <MissingFolder />
  if (content.error) return <Failure error={content.error} onRetry={content.retry} />
  if (content.isLoading) return <Loading rows={SKELETON_ROWS} />
  if (content.isEmpty && isLocked) return <NotLetIn />
  if (content.isEmpty) return <FirstSteps folder={folder} openMenu={openMenu} />
  if (content.items.length > 0) return children
  return (
    <Empty icon={SearchX} title={texts.files.noMatch}>
      <SearchAll folder={folder} text={searched} />
    </Empty>
  )
}

function NotLetIn() {
  const { contact } = useMe()
  return (
    <Empty icon={FolderLock} title={texts.files.notLetIn}>
      <p>{texts.files.askToBeLetIn(contact && withMarks(contact))}</p>
    </Empty>
  )
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

/** Selects the file that the preview shows in place of the one that opened it, so that Delete takes what was seen. */
function useSelectionOfPreview(id: string | undefined, { followsFocus, selectOnly }: Selection<Item>): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another file changes the selection
  useEffect(() => {
    if (id !== undefined && followsFocus) selectOnly(id)
  }, [id])
}

/** Shows the details of the selected file while details are open. */
function useDetailsOfSelected(
  selected: readonly Item[],
  setOverlay: (change: (now: Overlay | undefined) => Overlay | undefined) => void,
): void {
  const [only, ...others] = selected
  const file = only && others.length === 0 && isFile(only) ? only : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: each selection of another file
  useEffect(() => {
    if (file) setOverlay((now) => (now?.is === 'details' ? { is: 'details', file } : now))
  }, [file?.id])
}

/** Path to a folder. The folder itself is the page's heading. */
export function Breadcrumb({ folder }: { folder: string }) {
  const { entries, top, trailTo } = useReach()
  const above = folder === '' ? [] : trailTo(folder).filter(({ key }) => key !== folder)
  // The path that a limited account sees does not begin at the root.
  const titleOf = (key: string) => (entries && key !== '' ? key : undefined)
  return (
    <div className="breadcrumb row gap-0 wrap">
      {above.length > 0 && (
        <nav aria-label={texts.files.breadcrumb}>
          <ol className="breadcrumb row gap-0 wrap">
            {above.map(({ name, key }) => (
              <li key={key}>
                <Link to="/files" search={{ folder: key }} title={titleOf(key)} {...dropTarget(key)}>
                  {withMarks(name)}
                </Link>
                <ChevronRight aria-hidden size={16} />
              </li>
            ))}
          </ol>
        </nav>
      )}
      <h1 className="page-title" title={titleOf(folder)}>
        {withMarks(lastSegment(folder)) || top}
      </h1>
    </div>
  )
}
