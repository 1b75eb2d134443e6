import { useState } from 'react'
import { useFileSettings } from '../api/instance.ts'
import { Button, DialogActions } from '../components/fields/button.tsx'
import { OptionList } from '../components/fields/select.tsx'
import { Dialog } from '../components/overlays/dialog.tsx'
import { formatBytes, formatCount, withMarks } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { conflictTexts } from '../texts/conflicts.ts'
import { texts } from '../texts.ts'
import { type Choice, choicesFor, type Question, question } from './add.ts'
import { type Conflict, type Existing, isReplaceable } from './names.ts'

const words = conflictTexts
/** Maximum names in the list. Of more, the dialog shows the number. */
const MAX_NAMES = 5

/** Dialog that asks once about all files that already exist. */
export function ConflictDialog() {
  const open = useStore(question)
  return open && <Conflicts question={open} />
}

function Conflicts({ question: { conflicts, total, answer } }: { question: Question }) {
  const [choices, setChoices] = useState<readonly Choice[]>()
  const offered = choicesFor(conflicts)
  const days = useFileSettings().data?.versionDays
  const kept = days ? formatCount(days, texts.nouns.day) : undefined
  const what = whatIsTaken(conflicts)
  const decideAll = (choice: Choice) => answer(conflicts.map(() => choice))
  return (
    <Dialog
      title={words.title(conflicts.length, what)}
      description={words.text(total - conflicts.length, what, kept)}
      onClose={() => answer(undefined)}
    >
      {choices ? (
        <Each
          conflicts={conflicts}
          choices={choices}
          onChoose={(at, choice) => setChoices(choices.with(at, choice))}
        />
      ) : (
        <Names
          conflicts={conflicts}
          onDecide={() => setChoices(conflicts.map((one) => (isReplaceable(one) ? 'replace' : 'keep-both')))}
        />
      )}
      <DialogActions>
        {choices ? (
          <Upload
            count={total - choices.filter((choice) => choice === 'skip').length}
            onUpload={() => answer(choices)}
          />
        ) : (
          offered.map((choice) => (
            <Button
              key={choice}
              look={choice === offered.at(-1) ? 'primary' : 'plain'}
              onClick={() => decideAll(choice)}
            >
              {words.choices[choice]}
            </Button>
          ))
        )}
      </DialogActions>
    </Dialog>
  )
}

/** Returns what has the names: files, also folders, or only other files to upload. */
function whatIsTaken(conflicts: readonly Conflict[]): 'files' | 'any' | 'chosen' {
  if (conflicts.every(isReplaceable)) return 'files'
  return conflicts.every(({ existing }) => existing.id === undefined) ? 'chosen' : 'any'
}

/** Returns what has the name, with its size. */
function holderOf({ id, size }: Existing): string {
  if (size === null) return words.folder
  return id === undefined ? words.chosen(formatBytes(size)) : words.here(formatBytes(size))
}

function Names({ conflicts, onDecide }: { conflicts: readonly Conflict[]; onDecide: () => void }) {
  const others = conflicts.length - MAX_NAMES
  return (
    <>
      <ul className="stack gap-2 small">
        {/* The same name may stand in several folders. */}
        {conflicts.slice(0, MAX_NAMES).map((conflict, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index}>
            <ConflictName conflict={conflict} />
          </li>
        ))}
        {others > 0 && <li className="soft">{words.more(others)}</li>}
      </ul>
      {conflicts.length > 1 && (
        <Button look="quiet" className="conflict-each" onClick={onDecide}>
          {words.each}
        </Button>
      )}
    </>
  )
}

interface EachProps {
  conflicts: readonly Conflict[]
  choices: readonly Choice[]
  onChoose: (at: number, choice: Choice) => void
}

/** One choice for each file. */
const Each = ({ conflicts, choices, onChoose }: EachProps) => (
  <ul className="stack gap-2 small conflict-list">
    {conflicts.map((conflict, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
      <li key={at} className="row gap-3">
        <ConflictName conflict={conflict} />
        <OptionList
          aria-label={words.choiceOf(withMarks(conflict.picked.file.name))}
          value={choices[at]}
          options={choicesFor([conflict]).map((value) => ({ value, label: words.choices[value] }))}
          onChoose={(choice) => onChoose(at, choice)}
        />
      </li>
    ))}
  </ul>
)

const ConflictName = ({ conflict: { picked, existing } }: { conflict: Conflict }) => (
  <span className="stack gap-0 grow">
    <span className="cut" title={withMarks(picked.file.name)}>
      {withMarks(picked.file.name)}
    </span>
    <small>{words.sizes(holderOf(existing), formatBytes(picked.file.size))}</small>
  </span>
)

const Upload = ({ count, onUpload }: { count: number; onUpload: () => void }) => (
  <Button look="primary" onClick={onUpload}>
    {count > 0 ? words.upload(formatCount(count, texts.nouns.file)) : words.skipAll}
  </Button>
)
