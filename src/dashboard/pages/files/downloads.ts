import { client, explain } from '../../api/client.ts'
import { toast } from '../../components/overlays/toast.tsx'
import { texts } from '../../texts.ts'
import { type Item, isFile, isFolder } from './items.ts'

/** Maximum files in one archive, the server's default limit. */
const MAX_FILES = 1000
/** Milliseconds until a frame is removed. Its download has begun or failed by then. */
const FRAME_MS = 300_000

/** Request of a download. */
interface Ask {
  path: string
  /** Files of an archive, sent in a form because an address is too short for them. */
  ids?: readonly string[]
  /** Makes the same request from the page. */
  read: (signal: AbortSignal) => Promise<Response>
}

/**
 * Saves the selection: a file as it is, several as one archive, each folder as its own.
 *
 * @param whole Id of the folder whose whole content is selected. It is saved as one archive.
 */
export function download(items: readonly Item[], whole?: string): void {
  if (whole !== undefined) start(folderArchive(whole))
  else startAll(items)
}

function startAll(items: readonly Item[]): void {
  const files = items.filter(isFile).map(({ id }) => id)
  const folders = items.filter(isFolder)
  if (files.length > MAX_FILES) {
    toast.error(texts.files.tooManyToDownload(MAX_FILES, files.length))
    return
  }
  const [only] = files
  if (only !== undefined && files.length === 1) start(single(only))
  else if (files.length > 1) start(archive(files))
  for (const { id } of folders) start(folderArchive(id))
  const count = folders.length + Math.min(files.length, 1)
  if (count > 1) toast.done(texts.files.severalDownloads(count))
}

const single = (id: string): Ask => ({
  path: `/api/files/download/${id}`,
  read: (signal) => client.files.download(id, { signal }),
})

const archive = (ids: readonly string[]): Ask => ({
  path: '/api/files/download',
  ids,
  read: (signal) => client.files.archive(ids, { signal }),
})

const folderArchive = (id: string): Ask => ({
  path: `/api/folders/download?id=${encodeURIComponent(id)}`,
  read: (signal) => client.folders.archive({ id }, { signal }),
})

/**
 * Starts a download by the browser, which does not hold it in memory. In its own frame, an error replaces nothing
 * and the browser does not ask to leave the page.
 */
function start(ask: Ask): void {
  const frame = document.createElement('iframe')
  frame.name = `download-${crypto.getRandomValues(new Uint32Array(1))[0]}`
  frame.hidden = true
  frame.title = texts.files.download
  setTimeout(() => frame.remove(), FRAME_MS)
  // A download never loads into the frame, but an error does.
  frame.addEventListener('load', () => {
    if (frame.contentDocument?.URL === 'about:blank') return
    frame.remove()
    void explainRefusal(ask)
  })
  if (!ask.ids) frame.src = ask.path
  document.body.append(frame)
  if (ask.ids) sendIds(frame.name, ask.path, ask.ids)
}

function sendIds(target: string, path: string, ids: readonly string[]): void {
  const form = document.createElement('form')
  form.target = target
  form.method = 'post'
  form.action = path
  form.hidden = true
  for (const id of ids) {
    const input = document.createElement('input')
    input.name = 'ids'
    input.value = id
    form.append(input)
  }
  document.body.append(form)
  form.submit()
  form.remove()
}

/** Repeats the request to learn the reason: a page must not read the response in the frame. */
async function explainRefusal({ read }: Ask): Promise<void> {
  const repeated = new AbortController()
  try {
    await read(repeated.signal)
    toast.error(texts.files.downloadFailed)
  } catch (error) {
    toast.error(explain(error))
  } finally {
    repeated.abort()
  }
}
