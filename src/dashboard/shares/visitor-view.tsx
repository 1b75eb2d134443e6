import { isGallery } from '../../platform/kinds.ts'
import { useFirstItems } from '../api/files.ts'
import { useMe } from '../api/session.ts'
import { KindIcon } from '../components/icons.tsx'
import { formatBytes, formatItems, withMarks } from '../lib/format.ts'
import { shareTexts } from '../texts/shares.ts'
import { texts } from '../texts.ts'
import { type Rules, type Shown, shownFile } from './rules.ts'

/** Rows in the preview of a list, and of what is above and below a gallery. */
const MAX_ROWS = 4
const MAX_ROWS_BESIDE = 2
/** Pictures in the preview of a gallery. */
const MAX_TILES = 6

interface VisitorViewProps {
  rules: Rules
  items: readonly Shown[]
}

/** Maximum items that are counted. */
const MAX_COUNTED = 200

/** Returns the line below the title: the sender, and what is shared unless folders would have to be counted. */
function factsOf(sender: string, heading: string, content: readonly Shown[]): string {
  const [only, ...others] = content
  const isCounted = content.every(({ kind }) => kind !== 'folder') && content.length < MAX_COUNTED
  if (!only || !isCounted) return shareTexts.sharedBy(sender)
  const name = withMarks(only.name)
  if (others.length === 0)
    return name === heading ? shareTexts.sharedBy(sender) : shareTexts.sharedFiles(sender, name)
  const size = content.reduce((sum, item) => sum + (item.size ?? 0), 0)
  const summary = `${formatItems({ files: content.length, folders: 0 })}, ${formatBytes(size)}`
  return shareTexts.sharedFiles(sender, summary)
}

/** Returns the title of a page without one of its own: the name of the only item, which a password hides. */
export function usualTitle(
  { access, hasPassword }: Rules,
  [only, ...others]: readonly Shown[],
  sender: string,
): string {
  if (access === 'write' && !hasPassword) return shareTexts.sendTo(sender)
  const hasName = only && others.length === 0 && access !== 'write' && !hasPassword
  return hasName ? withMarks(only.name) : shareTexts.defaultTitles[access]
}

/** Preview of the page that visitors will see. */
export function VisitorView({ rules, items }: VisitorViewProps) {
  const content = useContent(rules, items)
  const name = withMarks(useMe().user.name)
  const heading = rules.title.trim() || usualTitle(rules, items, name)
  return (
    <figure className="stack gap-1 small" aria-label={shareTexts.preview}>
      <figcaption className="medium">{shareTexts.preview}</figcaption>
      <div className="visitor-page stack gap-3 anywhere well">
        <p className="visitor-title">{heading}</p>
        {rules.hasPassword ? (
          <Locked />
        ) : (
          <>
            <p className="soft">
              {rules.access === 'write' ? toOf(name, heading) : factsOf(name, heading, content)}
            </p>
            <Content rules={rules} items={content} />
          </>
        )}
      </div>
    </figure>
  )
}

/** Returns the line below the heading of a drop box: the receiver, unless the heading names them. */
function toOf(name: string, heading: string): string | undefined {
  const to = shareTexts.sendTo(name)
  return to === heading ? undefined : to
}

/** Returns what the page lists: the items of the share, or the content of its only folder. */
function useContent({ access }: Rules, items: readonly Shown[]): readonly Shown[] {
  const [only, ...others] = items
  const folder = others.length === 0 && only?.kind === 'folder' && access !== 'write' ? only : undefined
  const { data } = useFirstItems(folder?.id, MAX_COUNTED)
  const inside: Shown[] = [
    ...(data?.folders ?? []).map(({ id, name }) => ({ id, name, kind: 'folder' as const })),
    ...(data?.files ?? []).map(shownFile),
  ]
  return (folder ? inside : items).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const Locked = () => (
  <>
    <p>{shareTexts.protected}</p>
    <p className="visitor-field soft">{shareTexts.passwordHere}</p>
    <p className="visitor-button medium">{shareTexts.openHere}</p>
  </>
)

/** Returns the words of the button: for one file, its size. */
function downloadOf([first, ...others]: readonly Shown[]): string {
  const isFile = first && others.length === 0 && first.kind !== 'folder'
  if (!isFile) return shareTexts.downloadAll
  return first.size === undefined ? texts.files.download : shareTexts.downloadOne(formatBytes(first.size))
}

function Content({ rules: { note, access }, items }: VisitorViewProps) {
  return (
    <>
      {access !== 'write' && items.length > 0 && <p className="visitor-button medium">{downloadOf(items)}</p>}
      {note.trim() !== '' && <p className="visitor-note">{note.trim()}</p>}
      {access !== 'read' && (
        <>
          <p className="visitor-field visitor-drop soft">{shareTexts.choose}</p>
          <p className="visitor-button medium">{shareTexts.send}</p>
        </>
      )}
      {access !== 'write' && <Listing items={items} />}
    </>
  )
}

/** Beginning of the list, or of the gallery between folders and other files. */
function Listing({ items }: Pick<VisitorViewProps, 'items'>) {
  const [only, ...rest] = items
  // The page of one file shows it large.
  if (only && rest.length === 0 && only.kind !== 'folder')
    return (
      <div className="visitor-file row">
        {only.picture === undefined ? (
          <KindIcon kind={only.kind} size={40} />
        ) : (
          <img src={only.picture} alt="" />
        )}
      </div>
    )
  const pictures = items.filter(({ picture }) => picture !== undefined)
  const hasTiles = isGallery({ pictures: pictures.length, items: items.length })
  const beside = (isFolder: boolean) =>
    items
      .filter(({ kind, picture }) => picture === undefined && (kind === 'folder') === isFolder)
      .slice(0, MAX_ROWS_BESIDE)
  const [above, tiles, below] = hasTiles
    ? [beside(true), pictures.slice(0, MAX_TILES), beside(false)]
    : [items.slice(0, MAX_ROWS), [], []]
  const others = items.length - above.length - tiles.length - below.length
  return (
    <>
      <Rows items={above} />
      {hasTiles && (
        <ul className="visitor-tiles">
          {tiles.map(({ id, name, picture }) => (
            <li key={id}>
              <img src={picture} alt="" />
              <small className="cut">{withMarks(name)}</small>
            </li>
          ))}
        </ul>
      )}
      <Rows items={below} />
      {others > 0 && <p className="soft">{shareTexts.andMore(others).trim()}</p>}
    </>
  )
}

const Rows = ({ items }: Pick<VisitorViewProps, 'items'>) =>
  items.length > 0 && (
    <ul className="visitor-rows">
      {items.map(({ id, name, kind, size, picture }) => (
        <li key={id} className="row">
          {picture === undefined ? <KindIcon kind={kind} size={16} /> : <img src={picture} alt="" />}
          <span className="grow cut">{withMarks(name)}</span>
          {size !== undefined && <small>{formatBytes(size)}</small>}
        </li>
      ))}
    </ul>
  )
