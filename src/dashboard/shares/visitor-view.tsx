import { KindIcon } from '../components/icons.tsx'
import { formatBytes, withMarks } from '../lib/format.ts'
import { shareTexts } from '../texts/shares.ts'
import type { Rules, Shown } from './rules.ts'

/** Items in the preview. */
const MAX_SHOWN = 4

interface VisitorViewProps {
  rules: Rules
  items: readonly Shown[]
}

/** Preview of the page that visitors will see. */
export const VisitorView = ({ rules, items }: VisitorViewProps) => (
  <figure className="stack gap-1 small" aria-label={shareTexts.preview}>
    <figcaption className="medium">{shareTexts.preview}</figcaption>
    <div className="visitor-page stack gap-3 anywhere well">
      <p className="visitor-title">{rules.title.trim() || shareTexts.defaultTitles[rules.access]}</p>
      {rules.hasPassword ? <Locked /> : <Content rules={rules} items={items} />}
    </div>
  </figure>
)

const Locked = () => (
  <>
    <p>{shareTexts.protected}</p>
    <p className="visitor-field soft">{shareTexts.passwordHere}</p>
    <p className="visitor-button medium">{shareTexts.openHere}</p>
  </>
)

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
          {items.length > 0 && <p className="visitor-button medium">{shareTexts.downloadAll}</p>}
        </>
      )}
    </>
  )
}
