/**
 * Sends the files of a drop box by tus (https://tus.io/protocols/resumable-upload), so that they continue after an
 * interruption or a reload. It is part of the page of a share, which sends a plain form without it.
 */

import type { Words } from '../../api/pages/texts.ts'
import { PIECE_BYTES } from '../../client/index.ts'

const VERSION = { 'Tus-Resumable': '1.0.0' }
/** Pauses after failures in a row, in milliseconds. */
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000, 30_000]

/** Refusal of the server, which no repetition changes. */
class Refused extends Error {}

const form = document.querySelector<HTMLFormElement>('form[data-uploads]')
const words: Words['script'] & Pick<Words, 'refusals'> = JSON.parse(form?.dataset['words'] ?? '{}')
const reasons = new Map<string, string>(Object.entries(words.refusals ?? {}))
const list = document.querySelector<HTMLUListElement>('#sending')
const input = form?.querySelector<HTMLInputElement>('input[type=file]')
if (form && list && input) form.addEventListener('submit', (event) => void sendAll(event, form, input, list))

async function sendAll(
  event: SubmitEvent,
  { dataset }: HTMLFormElement,
  chosen: HTMLInputElement,
  shown: HTMLUListElement,
): Promise<void> {
  event.preventDefault()
  const files = [...(chosen.files ?? [])]
  const [path, button] = [dataset['uploads'] ?? '', event.submitter]
  const stay = (leaving: BeforeUnloadEvent) => leaving.preventDefault()
  button?.toggleAttribute('disabled', true)
  addEventListener('beforeunload', stay)
  shown.replaceChildren()
  shown.hidden = false
  const rows = files.map((file) => addRow(shown, file))
  let failed = 0
  for (const [index, file] of files.entries()) {
    try {
      const row = rows[index]
      if (row) await sendFile(path, file, row)
      rows[index]?.end(words.arrived)
    } catch (error) {
      failed += 1
      rows[index]?.end(error instanceof Error ? error.message : String(error), true)
    }
  }
  removeEventListener('beforeunload', stay)
  button?.toggleAttribute('disabled', false)
  // The page of the server lists what has arrived.
  if (failed === 0) location.reload()
  else await refreshRules().catch(() => undefined)
}

/** Shows what the share takes after the files that have arrived, and leaves the reasons of the others. */
async function refreshRules(): Promise<void> {
  const text = await (await fetch(location.href)).text()
  const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('#rules')
  if (fresh) document.querySelector('#rules')?.replaceWith(fresh)
}

/** Row of a file that is being sent. */
interface Progress {
  /** Shows how many bytes have arrived. */
  reach(sent: number): void
  /** Shows that the connection is gone, until more bytes arrive. */
  wait(): void
}

/** Adds the row of a file, with its progress. */
function addRow(shown: HTMLUListElement, { name, size }: File) {
  const [row, text, state] = [
    document.createElement('li'),
    document.createElement('span'),
    document.createElement('span'),
  ]
  const [bar, hint] = [document.createElement('progress'), document.createElement('span')]
  bar.max = Math.max(size, 1)
  bar.value = 0
  bar.setAttribute('aria-label', name)
  text.textContent = name
  hint.className = 'quiet'
  hint.setAttribute('role', 'status')
  state.append(bar, hint)
  row.append(text, state)
  shown.append(row)
  return {
    reach: (sent: number) => {
      bar.value = sent
      hint.textContent = ''
    },
    wait: () => {
      hint.textContent = words.waiting
    },
    end: (message: string, isFailure = false) => {
      state.textContent = message
      state.className = isFailure ? 'bad' : 'quiet'
      state.setAttribute('role', 'status')
    },
  }
}

/** Sends a file, and continues it after interruptions. @throws {Refused} with the reason of the server. */
async function sendFile(path: string, file: File, progress: Progress): Promise<void> {
  const name = `holdfast:send:${path}:${file.name}:${file.size}:${file.lastModified}`
  for (let failures = 0; ; failures += 1) {
    try {
      const known = recall(name)
      const found = known === null ? undefined : await offsetOf(known)
      const url = found === undefined || known === null ? await begin(path, file) : known
      remember(name, url)
      progress.reach(found ?? 0)
      for (let offset = found ?? 0; offset < file.size; offset += PIECE_BYTES) {
        await sendPiece(url, file, offset, (sent) => progress.reach(sent))
        failures = 0
      }
      remember(name, null)
      return
    } catch (error) {
      if (error instanceof Refused) remember(name, null)
      const pause = PAUSES[failures]
      if (error instanceof Refused || pause === undefined) throw error
      progress.wait()
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** Returns how many bytes of an upload have arrived; `undefined` when it has ended. */
async function offsetOf(url: string): Promise<number | undefined> {
  const response = await fetch(url, { method: 'HEAD', headers: VERSION })
  if (response.ok) return Number(response.headers.get('Upload-Offset'))
  if (response.status === 404) return undefined
  throw new Error(words.refusals.other)
}

async function begin(path: string, { name, size }: File): Promise<string> {
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(name)))
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...VERSION, 'Upload-Length': String(size), 'Upload-Metadata': `filename ${encoded}` },
  })
  if (!response.ok) throw refusal(response.status, response.headers.get('Error-Code'))
  return response.headers.get('Location') ?? ''
}

/** Sends the piece from `offset` on. `fetch` reports no progress of a body. */
function sendPiece(
  url: string,
  file: File,
  offset: number,
  onProgress: (sent: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PATCH', url)
    const headers = {
      ...VERSION,
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
    }
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onProgress(offset + loaded)
    request.onload = () =>
      request.status === 204
        ? resolve()
        : reject(refusal(request.status, request.getResponseHeader('Error-Code')))
    request.onerror = () => reject(new Error(words.refusals.other))
    request.send(file.slice(offset, offset + PIECE_BYTES))
  })
}

/** Returns the error for a response; only one that repetition may change is no refusal. */
function refusal(status: number, code: string | null): Error {
  const isPassing = status === 409 || status === 429 || status >= 500
  return new (isPassing ? Error : Refused)(reasons.get(code ?? '') ?? words.refusals.other)
}

function recall(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function remember(name: string, url: string | null): void {
  try {
    if (url === null) localStorage.removeItem(name)
    else localStorage.setItem(name, url)
  } catch {
    // Private windows may refuse. The upload then starts over after a reload.
  }
}
