import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { queryClient } from '../api/query.ts'
import { Button, IconButton } from '../components/fields/button.tsx'
import { formatBytes, formatCount, withMarks } from '../lib/format.ts'
import { texts } from '../texts.ts'
import { withName } from './collect.ts'
import { discard, findUnfinished, isFileOf, targetOf, type Unfinished } from './large.ts'
import { enqueue } from './queue.ts'

const words = texts.uploads.unfinished
const QUERY_KEY = ['unfinished-uploads']

/** Uploads that a reload or the end of the browser interrupted. A page cannot open their files by itself. */
export function UnfinishedUploads() {
  // Not cached: it would still show a finished upload.
  const { data = [] } = useQuery({ queryKey: QUERY_KEY, queryFn: findUnfinished, staleTime: 0, gcTime: 0 })
  const [isClosed, setClosed] = useState(false)
  if (isClosed || data.length === 0) return null
  return (
    <section className="uploads column gap-0 card" aria-label={words.title}>
      <header className="uploads-header row gap-1">
        <div className="uploads-summary grow">
          <h2>{words.headline(formatCount(data.length, texts.nouns.file))}</h2>
          <p className="note">{words.explanation}</p>
        </div>
        <IconButton icon={X} label={texts.actions.close} onClick={() => setClosed(true)} />
      </header>
      <ul className="uploads-list scroll">
        {data.map((unfinished) => (
          <UnfinishedRow key={unfinished.what} unfinished={unfinished} />
        ))}
      </ul>
    </section>
  )
}

function UnfinishedRow({ unfinished }: { unfinished: Unfinished }) {
  const { name, offset, length } = unfinished.upload
  const input = useRef<HTMLInputElement>(null)
  const [isOther, setOther] = useState(false)
  const end = useMutation({
    mutationFn: () => discard(unfinished),
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
  })
  const take = (file: File | undefined) => {
    if (!file) return
    const { folder, ...replaced } = targetOf(unfinished)
    // A replacement has the name of the file that it replaces.
    const named = replaced.replaces === undefined ? file : withName(file, name)
    const isSame = isFileOf(unfinished, named)
    setOther(!isSame)
    if (isSame) void enqueue({ files: [{ file: named, folder: '', ...replaced }], emptyFolders: [] }, folder)
  }
  return (
    <li className="unfinished row gap-1 wrap">
      <div className="stack gap-0 grow tight">
        <span className="small cut">{withMarks(name)}</span>
        <span className="upload-state note digits cut">
          {words.amount(formatBytes(offset), formatBytes(length))}
        </span>
      </div>
      <Button aria-label={words.chooseFor(name)} onClick={() => input.current?.click()}>
        {words.choose}
      </Button>
      <IconButton
        icon={Trash2}
        label={words.discard(name)}
        disabled={end.isPending}
        onClick={() => end.mutate()}
      />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={words.chooseFor(name)}
        onChange={({ target }) => {
          take(target.files?.[0])
          // Allows the same file to be picked again.
          target.value = ''
        }}
      />
      {isOther && (
        <p className="full small danger" role="alert">
          {words.other(name)}
        </p>
      )}
    </li>
  )
}
