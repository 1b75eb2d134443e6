/**
 * Adds a search and buttons that copy code to the pages of the documentation, which are complete without it.
 */

import { type Entry, type Found, findEntries } from './find.ts'

const LIMIT = 12

function addSearch(search: HTMLElement): void {
  const input = create('input', { type: 'search', placeholder: 'Search documentation and API' })
  input.setAttribute('aria-label', 'Search documentation and API')
  input.setAttribute('aria-keyshortcuts', '/ Control+K')
  const hint = create('kbd', { textContent: '/' })
  hint.setAttribute('aria-hidden', 'true')
  const results = create('ol', { hidden: true })
  const status = create('p', { className: 'status' })
  status.setAttribute('role', 'status')
  search.append(input, hint, results, status)

  let entries: Promise<Entry[]> | undefined
  const load = () => {
    entries ??= loadEntries(search.dataset)
    entries.catch(() => (entries = undefined))
    return entries
  }
  async function show(): Promise<void> {
    const query = input.value.trim()
    const found = query === '' ? [] : findEntries(await load(), query, LIMIT)
    if (query !== input.value.trim()) return
    results.replaceChildren(...found.map(toItem))
    results.hidden = found.length === 0
    status.textContent = query === '' ? '' : found.length === 0 ? 'Nothing found' : `${found.length} results`
    status.hidden = found.length > 0
  }
  input.addEventListener('focus', () => void load().catch(() => undefined))
  input.addEventListener(
    'input',
    () => void show().catch(() => (status.textContent = 'The search did not load')),
  )
  search.addEventListener('keydown', (event) => move(event, input, results))
  search.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && search.contains(relatedTarget))) close(results, status)
  })
  results.addEventListener('click', () => close(results, status))
  input.addEventListener('click', () => void show().catch(() => undefined))
  document.addEventListener('keydown', (event) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey)
    const isSlash = event.key === '/' && isPlain && !(event.target instanceof HTMLInputElement)
    if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return
    event.preventDefault()
    input.focus()
  })
}

/** Loads the entries of the documentation and of the API's reference, those of the open part first. */
async function loadEntries({ entries = '', operations = '' }: DOMStringMap): Promise<Entry[]> {
  const both = document.body.classList.contains('api') ? [operations, entries] : [entries, operations]
  const loaded = both.map(async (path): Promise<Entry[]> => (await fetch(path)).json())
  return (await Promise.all(loaded)).flat()
}

function close(results: HTMLElement, status: HTMLElement): void {
  results.hidden = true
  status.textContent = ''
}

/** Moves the focus between the field and its results, opens the first one, or closes them. */
function move(event: KeyboardEvent, input: HTMLInputElement, results: HTMLElement): void {
  const links = [input, ...results.querySelectorAll('a')]
  const at = links.findIndex((link) => link.matches(':focus'))
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step !== undefined && !results.hidden) {
    event.preventDefault()
    links[(at + step + links.length) % links.length]?.focus()
  } else if (event.key === 'Enter' && at === 0) links[1]?.click()
  else if (event.key === 'Escape') {
    results.hidden = true
    input.focus()
  }
}

function toItem({ entry: [path, page, heading], excerpt }: Found): HTMLLIElement {
  const link = create('a', { href: path })
  const text = create('small', {})
  text.append(
    ...excerpt.map((part, index) => (index % 2 === 1 ? create('mark', { textContent: part }) : part)),
  )
  link.append(create('strong', { textContent: heading || page }))
  if (heading) link.append(create('span', { textContent: page }))
  link.append(text)
  const item = create('li', {})
  item.append(link)
  return item
}

function addCopy(block: HTMLElement): void {
  const button = create('button', { type: 'button', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    const code = block.querySelector('code')
    try {
      await navigator.clipboard.writeText(commandsOf(code?.className ?? '', code?.textContent ?? ''))
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not allowed'
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
  block.append(button)
}

/** Returns the commands of a session without prompts and output; other code as it is. */
const commandsOf = (language: string, code: string): string =>
  language === 'language-console'
    ? code
        .split(/\n(?=\$ |$|[^\s])/)
        .filter((line) => line.startsWith('$ '))
        .map((line) => line.slice(2).trimEnd())
        .join('\n')
    : code.trimEnd()

const create = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] => Object.assign(document.createElement(name), properties)

const LANGUAGE = 'holdfast:sample-language'

/** Shows the samples in the language that was chosen on an earlier page. */
function rememberLanguage(samples: HTMLElement): void {
  const inputs = [...samples.querySelectorAll('input')]
  try {
    const chosen = localStorage.getItem(LANGUAGE)
    for (const input of inputs) {
      input.checked ||= input.id === chosen
      input.addEventListener('change', () => localStorage.setItem(LANGUAGE, input.id))
    }
  } catch {
    // Private windows may refuse.
  }
}

const place = document.querySelector<HTMLElement>('search')
if (place) addSearch(place)
for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopy(block)
for (const samples of document.querySelectorAll<HTMLElement>('.samples')) rememberLanguage(samples)
// The list of pages may be longer than the window.
document.querySelector('.pages.wide [aria-current]')?.scrollIntoView({ block: 'nearest' })
