import * as Radix from '@radix-ui/react-dialog'
import { useMutation, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { client } from '../../../api/client.ts'
import { refreshFolders } from '../../../api/files.ts'
import { Button, IconButton } from '../../../components/fields/button.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { LeaveQuestion } from '../../../components/overlays/leave-question.tsx'
import { toast } from '../../../components/overlays/toast.tsx'
import { withMarks } from '../../../lib/format.ts'
import { parentKey } from '../../../lib/paths.ts'
import { hasCommand } from '../../../lib/shortcut.ts'
import { loadStyle } from '../../../lib/style.ts'
import { previewTexts } from '../../../texts/preview.ts'
import { settingsTexts } from '../../../texts/settings.ts'
import { texts } from '../../../texts.ts'
import type { FileItem } from '../items.ts'
import { useLeavePreview } from '../preview/address.ts'
import { formatOf } from '../preview/text/language.ts'
import { useWrap, WrapButton } from '../preview/text/wrap.tsx'
import css from './editor.css' with { type: 'file' }
import { closeText, type Outcome, readText, type StoredText, storeText } from './stored-text.ts'
import { showDifference, TextEditor } from './text-editor.ts'

loadStyle(css)

const words = previewTexts.edit

/** Editor of a file's text in place of its preview. */
export default function Editor({ file }: { file: FileItem }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['edited-text', file.id],
    queryFn: ({ signal }) => readText(file, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  })
  return (
    <>
      {data ? (
        <Writing file={file} first={data} />
      ) : (
        <>
          <Bar name={file.name} />
          <div className="viewer-stage column">
            {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />}
          </div>
        </>
      )}
    </>
  )
}

interface BarProps {
  name: string
  /** State of the text, in words. */
  state?: string
  children?: ReactNode
}

function Bar({ name, state = '', children }: BarProps) {
  const { endEdit } = useLeavePreview()
  return (
    <header className="viewer-bar row gap-2">
      <div className="viewer-title grow">
        <Radix.Title>{withMarks(name)}</Radix.Title>
        <p className="tiny soft" role="status">
          {state}
        </p>
      </div>
      {children}
      <IconButton icon={X} label={texts.actions.close} onClick={endEdit} />
    </header>
  )
}

/** Text that is written, and what keeps it from being saved. */
function Writing({ file, first }: { file: FileItem; first: StoredText }) {
  const { host, editor, isChanged, noteChange } = useTextEditor(file, first)
  const [outcome, setOutcome] = useState<Outcome>()
  const base = useRef(first)
  const settle = (now: StoredText) => {
    base.current = now
    editor.current?.markStored(now)
    noteChange()
  }
  const save = useMutation({
    mutationFn: () => storeText(file, editor.current?.text ?? '', base.current),
    onSuccess: (made) => {
      if (made.is === 'stored') settle(made.now)
      setOutcome(made)
    },
  })
  const takeTheirs = (theirs: StoredText) => {
    editor.current?.replace(theirs)
    settle(theirs)
    setOutcome(undefined)
  }
  const copy = useSaveCopy(file, (theirs) => {
    if (theirs) takeTheirs(theirs)
    else flushSync(() => settle({ ...base.current, text: editor.current?.text ?? '' }))
  })
  useSaveKey(() => isChanged && !save.isPending && save.mutate())
  useChangesElsewhere(file, async () => {
    const before = base.current
    const now = await readText(file).catch(() => undefined)
    if (!now || save.isPending || base.current !== before || now.tag === before.tag) return
    if (now.text === before.text) base.current = now
    else if (editor.current?.isChanged) setOutcome({ is: 'clash', theirs: now })
    else takeTheirs(now)
  })
  const isClash = outcome?.is === 'clash' || outcome?.is === 'gone'
  const format = formatOf(file.name, first.text.slice(0, 200))
  const [isWrapped, setWrapped] = useWrap(format, first.text)
  useEffect(() => editor.current?.wrap(isWrapped), [isWrapped, editor])
  const state = isChanged ? settingsTexts.unsaved : outcome?.is === 'stored' ? words.saved : ''
  return (
    <>
      <Bar name={file.name} state={save.isPending ? words.saving : state}>
        <Button
          look="primary"
          isBusy={save.isPending}
          disabled={!isChanged || isClash}
          onClick={() => save.mutate()}
        >
          {settingsTexts.save}
        </Button>
      </Bar>
      <div className="editor column gap-0">
        {isClash && (
          <Clash
            mine={editor.current?.text ?? ''}
            theirs={outcome.is === 'clash' ? outcome.theirs : undefined}
            isGone={outcome.is === 'gone'}
            isBusy={save.isPending || copy.isPending}
            onKeepMine={(theirs) => {
              base.current = theirs
              save.mutate()
            }}
            onTakeTheirs={takeTheirs}
            onCopy={(theirs) => copy.mutate({ text: editor.current?.text ?? '', base: base.current, theirs })}
          />
        )}
        <div ref={host} className="editor-text grow" hidden={isClash} />
        {!isClash && (
          <footer className="editor-foot row gap-3 rigid note">
            <p className="grow">
              <span className="with-pointer">{words.keys}</span>
            </p>
            <WrapButton isWrapped={isWrapped} onWrap={setWrapped} />
          </footer>
        )}
      </div>
      <LeaveQuestion isChanged={isChanged} isStrict />
    </>
  )
}

/** Opens an editor in an element while it is shown. */
function useTextEditor({ name }: FileItem, first: StoredText) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<TextEditor>(undefined)
  const [isChanged, setChanged] = useState(false)
  const noteChange = () => setChanged(editor.current?.isChanged === true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: one editor, whatever it is called later
  useEffect(() => {
    if (!host.current) return
    const made = new TextEditor(host.current, {
      label: words.label(name),
      opened: first,
      onChange: noteChange,
    })
    editor.current = made
    return () => made.destroy()
  }, [])
  return { host, editor, isChanged, noteChange }
}

/** Returns the call that saves a text as another file beside this one, and shows it if this one is gone. */
function useSaveCopy(file: FileItem, onSaved: (theirs: StoredText | undefined) => void) {
  const { showOther } = useLeavePreview()
  return useMutation({
    mutationFn: async ({
      text,
      base,
    }: {
      text: string
      base: StoredText
      theirs: StoredText | undefined
    }) => {
      const [made] = await client.files.upload(
        [{ name: file.name, content: new Blob([closeText(text, base)]) }],
        { folder: parentKey(file.key), visibility: file.visibility, onConflict: 'rename' },
      )
      return made
    },
    onSuccess: (made, { theirs }) => {
      void refreshFolders()
      if (!made) return
      toast.done(words.copied(made.name))
      onSaved(theirs)
      if (!theirs) showOther(made.id)
    },
  })
}

/** Saves by the keys that save elsewhere, wherever the focus is. */
function useSaveKey(save: () => void): void {
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!hasCommand(event) || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Calls after each change of a file since it was opened. Two within a second have the same time. */
function useChangesElsewhere({ updatedAt, size }: FileItem, look: () => void): void {
  const state = `${updatedAt} ${size}`
  const seen = useRef(state)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change
  useEffect(() => {
    if (seen.current === state) return
    seen.current = state
    look()
  }, [state])
}

interface ClashProps {
  mine: string
  /** Text that is stored now; undefined for one that cannot be shown. */
  theirs: StoredText | undefined
  isGone: boolean
  isBusy: boolean
  onKeepMine: (theirs: StoredText) => void
  onTakeTheirs: (theirs: StoredText) => void
  onCopy: (theirs: StoredText | undefined) => void
}

/** Both texts of a file that was changed or deleted elsewhere, and what can be done. */
function Clash({ mine, theirs, isGone, isBusy, onKeepMine, onTakeTheirs, onCopy }: ClashProps) {
  const host = useRef<HTMLDivElement>(null)
  const text = theirs?.text
  useEffect(() => {
    if (host.current && text !== undefined) return showDifference(host.current, mine, text)
  }, [mine, text])
  return (
    <>
      <section className="editor-clash stack gap-3" role="alert" aria-label={words.clash}>
        <p>{isGone ? words.gone : theirs ? words.clashText : words.unreadable}</p>
        <div className="row wrap gap-2">
          {theirs && (
            <>
              <Button isBusy={isBusy} onClick={() => onKeepMine(theirs)}>
                {words.keepMine}
              </Button>
              <Button isBusy={isBusy} onClick={() => onTakeTheirs(theirs)}>
                {words.takeTheirs}
              </Button>
            </>
          )}
          <Button isBusy={isBusy} onClick={() => onCopy(theirs)}>
            {words.saveCopy}
          </Button>
        </div>
      </section>
      {theirs && (
        <>
          <div className="editor-sides row gap-0 small medium" aria-hidden>
            <span className="grow is-theirs">{words.theirs}</span>
            <span className="grow is-mine">{words.mine}</span>
          </div>
          <div ref={host} className="editor-text grow" />
        </>
      )}
    </>
  )
}
