import { Dialog } from '../../../components/overlays/dialog.tsx'
import { withAlt, withCommand, withShift } from '../../../lib/shortcut.ts'
import { browseTexts } from '../../../texts/browse.ts'

const { title, groups, keys, keyNames } = browseTexts.help

/** Shortcuts by group: their keys, and what they do. */
const SHORTCUTS: readonly { title: string; shortcuts: readonly (readonly [string[], string])[] }[] = [
  {
    title: groups.move,
    shortcuts: [
      [[keyNames.arrows], keys.arrows],
      [[keyNames.letters], keys.type],
      [[keyNames.enter], keys.open],
      [[keyNames.backspace, withAlt('↑')], keys.parent],
      [['/'], keys.search],
      [[withCommand('K')], keys.searchAll],
      [[keyNames.menu, withShift('F10')], keys.menu],
      [['?'], keys.help],
    ],
  },
  {
    title: groups.select,
    shortcuts: [
      [[keyNames.space], keys.toggle],
      [[withShift(keyNames.arrows)], keys.extend],
      [[withCommand('A')], keys.all],
      [[keyNames.escape], keys.none],
    ],
  },
  {
    title: groups.change,
    shortcuts: [
      [['F2'], keys.rename],
      [['*'], keys.favorite],
      [[withCommand('X')], keys.cut],
      [[withCommand('C')], keys.copy],
      [[withCommand('V')], keys.paste],
      [[withCommand('Z')], keys.undo],
      [[keyNames.delete], keys.trash],
      [[withShift(keyNames.delete)], keys.delete],
    ],
  },
]

/** List of the keyboard shortcuts. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that */}
      <section className="shortcuts stack scroll" tabIndex={0} aria-label={title}>
        {SHORTCUTS.map((group) => (
          <section key={group.title}>
            <h3 className="small">{group.title}</h3>
            <dl>
              {group.shortcuts.map(([names, action]) => (
                <div key={action} className="shortcut row top gap-4 apart">
                  <dt>{action}</dt>
                  <dd className="row gap-1 rigid">
                    {names.map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </section>
    </Dialog>
  )
}
