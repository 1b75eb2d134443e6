/**
 * Shows the files that are chosen for a drop box, and sends them by tus (https://tus.io/protocols/resumable-upload), so that
 * they continue after an interruption or a reload. It is part of the page of a share, which sends a plain form without it.
 */

import { speechOf } from '../../api/pages/speech.ts'
import type { Words } from '../../api/pages/texts.ts'
import { PIECE_BYTES } from '../../client/index.ts'

const VERSION = { 'Tus-Resumable': '1.0.0' }
/** Pauses after failures in a row, in milliseconds. */
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000, 30_000]
/** Files that the list shows, each with a thumbnail. */
const MAX_ROWS = 60
/** Size of a picture in bytes from which it is not decoded for a thumbnail. */
const MAX_PICTURE_BYTES = 32 * 1024 ** 2
/** Side of a thumbnail in pixels of a dense screen. */
const SIDE = 96

/** Refusal of the server, which no repetition changes. */
class Refused extends Error {}

const form = document.querySelector<HTMLFormElement>('form[data-uploads]')
const words: Words['script'] & Pick<Words, 'refusals' | 'byte'> = JSON.parse(form?.dataset['words'] ?? '{}')
const reasons = new Map<string, string>(Object.entries(words.refusals ?? {}))
const { bytes, count } = speechOf(document.documentElement.lang, words.byte)
const list = document.querySelector<HTMLUListElement>('#sending')
const input = form?.querySelector<HTMLInputElement>('input[type=file]')
const button = form?.querySelector<HTMLButtonElement>('button.main')

/** File that is chosen, with its row in the list once it is shown. */
interface Chosen {
  file: File
  row?: HTMLLIElement
}

let chosen: Chosen[] = []

if (form && list && input && button) {
  input.addEventListener('change', () => choose(input, list))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sendAll({ path: form.dataset['uploads'] ?? '', input, list, button })
  })
  // A reload may keep what was chosen.
  if (input.files?.length) choose(input, list)
}

const isSame = (one: File, other: File) =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified

/** Adds the files of the field to those that were chosen before. */
function choose(field: HTMLInputElement, shown: HTMLUListElement): void {
  const added = [...(field.files ?? [])].filter((file) => !chosen.some((one) => isSame(one.file, file)))
  chosen = [...chosen, ...added.map((file) => ({ file }))]
  showChosen(field, shown)
}

/** Shows the first files with a way to take each out, and number and size of all. */
function showChosen(field: HTMLInputElement, shown: HTMLUListElement): void {
  fill(field)
  const takeOut = (gone: Chosen) => {
    chosen = chosen.filter((one) => one !== gone)
    showChosen(field, shown)
    field.focus()
  }
  for (const one of chosen.slice(0, MAX_ROWS)) one.row ??= rowOf(one, () => takeOut(one))
  const sum = make('li', 'quiet')
  const text = make('span', '', `${count(chosen.length, words.file)} · ${bytes(sizeOf(chosen))}`)
  text.setAttribute('role', 'status')
  sum.append(text)
  shown.replaceChildren(...chosen.flatMap(({ row }) => row ?? []), ...(chosen.length > 1 ? [sum] : []))
  shown.hidden = chosen.length === 0
}

/** Puts all files that are chosen into the field, which says how many there are. */
function fill(field: HTMLInputElement): void {
  const all = new DataTransfer()
  for (const { file } of chosen) all.items.add(file)
  field.files = all.files
}

const sizeOf = (files: readonly Chosen[]) => files.reduce((sum, { file }) => sum + file.size, 0)

function make<Name extends keyof HTMLElementTagNameMap>(name: Name, className: string, text = '') {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

function rowOf({ file }: Chosen, takeOut: () => void): HTMLLIElement {
  const row = document.createElement('li')
  const [, type = ''] = /\.([a-z0-9]{1,4})$/i.exec(file.name) ?? []
  const icon = make('span', 'icon', type.toUpperCase())
  icon.ariaHidden = 'true'
  const what = make('span', 'what')
  what.append(make('span', '', file.name), make('span', 'quiet', bytes(file.size)))
  const remove = make('button', 'save', '×')
  remove.type = 'button'
  remove.ariaLabel = `${words.remove} ${file.name}`
  remove.addEventListener('click', takeOut)
  row.append(icon, what, remove)
  if (file.type.startsWith('image/') && file.size <= MAX_PICTURE_BYTES)
    drawing = drawing.then(() => draw(file, row)).catch(() => undefined)
  return row
}

let drawing: Promise<void> = Promise.resolve()

/** Draws a picture in place of the icon of its row: one at a time, so that few are in memory. */
async function draw(file: File, row: HTMLLIElement): Promise<void> {
  if (!row.isConnected) return
  const image = await createImageBitmap(file, { resizeHeight: SIDE, resizeQuality: 'medium' })
  const canvas = make('canvas', 'icon')
  canvas.width = SIDE
  canvas.height = SIDE
  const scale = SIDE / Math.min(image.width, image.height)
  const [width, height] = [image.width * scale, image.height * scale]
  canvas.getContext('2d')?.drawImage(image, (SIDE - width) / 2, (SIDE - height) / 2, width, height)
  image.close()
  row.firstChild?.replaceWith(canvas)
}

/** Shows what became of a file in its row. */
function mark(shown: HTMLUListElement, one: Chosen, text: string, className = 'quiet'): void {
  one.row ??= rowOf(one, () => undefined)
  const state = make('span', className, text)
  state.setAttribute('role', 'status')
  one.row.querySelector('.what > :last-child')?.replaceWith(state)
  one.row.querySelector('button')?.remove()
  if (className === 'bad') shown.append(one.row)
}

interface Sending {
  path: string
  input: HTMLInputElement
  list: HTMLUListElement
  button: HTMLButtonElement
}

async function sendAll({ path, input: field, list: shown, button: send }: Sending): Promise<void> {
  const stay = (leaving: BeforeUnloadEvent) => leaving.preventDefault()
  const bar = barFor(sizeOf(chosen))
  showChosen(field, shown)
  addEventListener('beforeunload', stay)
  field.disabled = true
  for (const button of shown.querySelectorAll('button')) button.remove()
  send.replaceWith(bar.element)
  const failed: Chosen[] = []
  let done = 0
  for (const one of chosen) {
    const before = done
    try {
      await sendFile(path, one.file, {
        reach: (sent) => bar.reach(before + sent),
        wait: () => bar.wait(),
      })
      if (one.row) mark(shown, one, words.arrived)
    } catch (error) {
      failed.push(one)
      mark(shown, one, error instanceof Error ? error.message : String(error), 'bad')
    }
    done += one.file.size
    bar.reach(done)
  }
  removeEventListener('beforeunload', stay)
  // The page of the server lists what has arrived.
  if (failed.length === 0) return location.reload()
  bar.element.replaceWith(send)
  field.disabled = false
  chosen = failed.map(({ file }) => ({ file }))
  fill(field)
  await refreshRules().catch(() => undefined)
}

/** Progress of all files. */
interface Progress {
  /** Shows how many bytes have arrived. */
  reach(sent: number): void
  /** Shows that the connection is gone, until more bytes arrive. */
  wait(): void
}

function barFor(total: number): Progress & { element: HTMLElement } {
  const [element, bar] = [make('div', 'sum'), document.createElement('progress')]
  const [text, hint] = [make('span', 'quiet'), make('span', 'quiet')]
  bar.max = Math.max(total, 1)
  bar.ariaLabel = words.sending
  hint.setAttribute('role', 'status')
  element.append(bar, text, hint)
  const reach = (sent: number) => {
    bar.value = sent
    text.textContent = `${bytes(sent)} / ${bytes(total)}`
    hint.textContent = ''
  }
  reach(0)
  return {
    ...{ element, reach },
    wait: () => {
      hint.textContent = words.waiting
    },
  }
}

/** Shows what the share takes after the files that have arrived, and leaves the reasons of the others. */
async function refreshRules(): Promise<void> {
  const text = await (await fetch(location.href)).text()
  const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('#rules')
  if (fresh) document.querySelector('#rules')?.replaceWith(fresh)
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
