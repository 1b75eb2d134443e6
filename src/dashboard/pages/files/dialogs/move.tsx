import { useQuery } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { client } from '../../../api/client.ts'
import { createFolder } from '../../../api/files.ts'
import { useMayWriteIn, useReach } from '../../../api/reach.ts'
import { useCan } from '../../../api/session.ts'
import { Button, DialogActions } from '../../../components/fields/button.tsx'
import { TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatItems, formatList, withMarks } from '../../../lib/format.ts'
import { isWithin, joinKey, lastSegment } from '../../../lib/paths.ts'
import { FolderPicker, findFolder } from '../../../search/folder-picker.tsx'
import { dialogTexts } from '../../../texts/dialogs.ts'
import { rightsTexts } from '../../../texts/rights.ts'
import { texts } from '../../../texts.ts'
import { moveItems } from '../bulk.ts'
import { countItems, type Item, isFolder } from '../items.ts'

interface MoveProps {
  items: Item[]
  /** Object key of the folder that contains the items. */
  from: string
  onClose: () => void
  onMoved: () => void
}

/** Dialog that chooses a target, by name or folder by folder. */
export default function Move({ items, from, onClose, onMoved }: MoveProps) {
  const [target, setTarget] = useState(from)
  const [isNaming, setNaming] = useState(false)
  const mayAddTo = useMayWriteIn()
  const { entries } = useReach()
  const { problemOf, deadEndAt } = useProblems(from)
  const problem = target === from ? undefined : problemOf(target)
  const mayLetIn = useCan('users:manage')
  const mover = useRef<HTMLButtonElement>(null)
  // A folder cannot be moved into itself.
  const outside = useMemo(() => items.filter(isFolder).map(({ key }) => key), [items])
  const open = (key: string) => {
    setNaming(false)
    setTarget(key)
  }
  const choose = (key: string) => {
    // The button is disabled until the target changes.
    flushSync(() => open(key))
    mover.current?.focus()
  }
  const move = () => {
    onMoved()
    onClose()
    void moveItems(items, target)
  }
  return (
    <Dialog title={dialogTexts.moveTitle(whatOf(items))} onClose={onClose}>
      <FolderPicker
        key={String(isNaming)}
        {...{ target, outside, start: from, problemOf: deadEndAt }}
        onOpen={open}
        onChoose={choose}
      />
      {entries && (
        <p className="move-problem note" role="status">
          {problem}
        </p>
      )}
      {target !== from && mayLetIn && <Audience from={from} target={target} />}
      {isNaming && <NameField target={target} onMade={choose} />}
      <DialogActions>
        <Button
          look="quiet"
          icon={FolderPlus}
          disabled={!mayAddTo(target)}
          aria-expanded={isNaming}
          onClick={() => setNaming(!isNaming)}
        >
          {texts.files.newFolder}
        </Button>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button ref={mover} look="primary" disabled={target === from || problem !== undefined} onClick={move}>
          {dialogTexts.moveTo(withMarks(lastSegment(target)) || texts.files.root)}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Returns the reasons for which items of a folder cannot move to another, by the object keys of these. */
function useProblems(from: string) {
  const { entries, granted, missingToMove } = useReach()
  const problemOf = (target: string): string | undefined => {
    if (entries && target === '') return rightsTexts.noTarget
    const missing = missingToMove(from, target)
    if (missing === undefined) return undefined
    const left = entries?.find(({ key }) => isWithin(from, key))?.key ?? from
    return missing === 'write' ? rightsTexts.mayNotAdd : rightsTexts.mayNotLeave(withMarks(lastSegment(left)))
  }
  /** Returns the reason unless a folder inside is a target. */
  const deadEndAt = (folder: string) =>
    granted.some(({ key }) => isWithin(key, folder) && problemOf(key) === undefined)
      ? undefined
      : problemOf(folder)
  return { problemOf, deadEndAt }
}

/** Queries the accounts that were let into a folder or one above it, by their ids. The root has none. */
const usePeopleAt = (key: string) =>
  useQuery({
    queryKey: ['people', 'at', key],
    queryFn: async () => {
      if (key === '') return new Map<string, string>()
      const { people } = await client.people.list((await findFolder(key)).id)
      return new Map(people.map(({ user }) => [user?.id ?? EVERYONE, user?.name ?? rightsTexts.everyone]))
    },
    staleTime: 0,
  }).data

const EVERYONE = ''

/** Names of the accounts that will see the items in another folder, and of those that no longer will. */
function Audience({ from, target }: { from: string; target: string }) {
  const [before, after] = [usePeopleAt(from), usePeopleAt(target)]
  if (!before || !after) return null
  const missing = (some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
    others.has(EVERYONE) ? [] : [...some].filter(([id]) => !others.has(id)).map(([, name]) => withMarks(name))
  const [gained, lost] = [missing(after, before), missing(before, after)]
  return (
    <div className="stack gap-1 note" aria-live="polite">
      {gained.length > 0 && <p>{rightsTexts.willSee(formatList(gained))}</p>}
      {lost.length > 0 && <p>{rightsTexts.willNotSee(formatList(lost))}</p>}
    </div>
  )
}

/** Returns the name of one item, or the number of several. */
function whatOf(items: readonly Item[]): string {
  const [only, ...others] = items
  return only && others.length === 0
    ? texts.files.quoted(withMarks(only.name))
    : formatItems(countItems(items))
}

const focus = (field: HTMLInputElement | null) => field?.focus()

/** Field that creates a folder in the target and opens it. */
function NameField({ target, onMade }: { target: string; onMade: (key: string) => void }) {
  const create = useFormMutation({
    mutationFn: async (name: string) => {
      const key = joinKey(target, name)
      await createFolder(key)
      return key
    },
    onSuccess: onMade,
  })
  return (
    <Form
      mutation={create}
      action={texts.files.create}
      onSubmit={(form) => create.mutate(String(form.get('name')).trim())}
    >
      <TextField
        label={dialogTexts.folderName}
        name="name"
        maxLength={255}
        autoComplete="off"
        ref={focus}
        required
      />
    </Form>
  )
}
