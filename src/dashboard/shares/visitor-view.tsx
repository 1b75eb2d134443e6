import { kindOf } from '../../platform/kinds.ts'
import { useFirstItems } from '../api/files.ts'
import { KindIcon } from '../components/icons.tsx'
import { formatBytes, withMarks } from '../lib/format.ts'
import { shareTexts } from '../texts/shares.ts'
import { texts } from '../texts.ts'
import type { Rules, Shown } from './rules.ts'

/** Items in the preview. */
const MAX_SHOWN = 4

interface VisitorViewProps {
  rules: Rules
  items: readonly Shown[]
}

/** Maximum items that are counted. */
const MAX_COUNTED = 200

/** Returns the title of a page without one of its own: the name of the only item, which a password hides. */
export function usualTitle({ access, hasPassword }: Rules, [only, ...others]: readonly Shown[]): string {
  const hasName = only && others.length === 0 && access !== 'write' && !hasPassword
  return hasName ? withMarks(only.name) : shareTexts.defaultTitles[access]
}

/** Preview of the page that visitors will see. */
export function VisitorView({ rules, items }: VisitorViewProps) {
  const content = useContent(rules, items)
  return (
    <figure className="stack gap-1 small" aria-label={shareTexts.preview}>
      <figcaption className="medium">{shareTexts.preview}</figcaption>
      <div className="visitor-page stack gap-3 anywhere well">
        <p className="visitor-title">{rules.title.trim() || usualTitle(rules, items)}</p>
        {rules.hasPassword ? <Locked /> : <Content rules={rules} items={content} />}
      </div>
    </figure>
  )
}

/** Returns what the page lists: the items of the share, or the content of its only folder. */
function useContent({ access }: Rules, items: readonly Shown[]): readonly Shown[] {
  const [only, ...others] = items
  const folder = others.length === 0 && only?.kind === 'folder' && access !== 'write' ? only : undefined
  const { data } = useFirstItems(folder?.id, MAX_COUNTED)
  if (!folder) return items
  const inside: Shown[] = [
    ...(data?.folders ?? []).map(({ id, name }) => ({ id, name, kind: 'folder' as const })),
    ...(data?.files ?? []).map((file) => ({
      ...{ id: file.id, name: file.name, size: file.size, kind: kindOf(file) },
    })),
  ]
  return inside.toSorted((a, b) => (a.name < b.name ? -1 : 1))
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
  const others = items.length - MAX_SHOWN
  return (
    <>
      {note.trim() !== '' && <p className="visitor-note">{note.trim()}</p>}
      {access !== 'read' && (
        <>
          <p className="visitor-field soft">{shareTexts.choose}</p>
          <p className="visitor-button medium">{shareTexts.send}</p>
        </>
      )}
      {access !== 'write' && (
        <>
          <ul>
            {items.slice(0, MAX_SHOWN).map(({ id, name, kind, size }) => (
              <li key={id} className="row">
                <KindIcon kind={kind} size={16} />
                <span className="grow cut">{withMarks(name)}</span>
                {size !== undefined && <small>{formatBytes(size)}</small>}
              </li>
            ))}
            {others > 0 && <li className="soft">{shareTexts.andMore(others).trim()}</li>}
          </ul>
          {items.length > 0 && <p className="visitor-button medium">{downloadOf(items)}</p>}
        </>
      )}
    </>
  )
}
