import {
  type ComponentProps,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react'

/** Parameters of an address, as plain text: a folder named 2024 is not a number. */
export type Search = Record<string, string | undefined>

/** State of an entry of the browser's history, beside its address. */
interface EntryState {
  /** Name of the entry, which a replaced address retains. */
  key?: string
  /** Place among the entries, from the first that the dashboard had. */
  index?: number
  /** True for an entry that a preview added, so that closing it goes back. */
  isPreview?: boolean
  /** True for an entry that the step from a preview to an editor added. */
  isEdit?: boolean
}

interface Place {
  /** Path without a slash at its end. */
  pathname: string
  search: Search
  /** Fragment without its `#`. */
  hash: string
  state: EntryState
}

/** Address to open. */
interface Target {
  to: string
  /** Parameters, or their change; none by default. */
  search?: Search | ((now: Search) => Search)
}

interface Step extends Target {
  state?: EntryState
  /** True for a step in place of the present entry of the history. */
  replace?: boolean
}

const pathOf = (path: string) => path.replace(/(?<=.)\/$/, '')

function read(): Place {
  const { pathname, search, hash } = location
  return {
    pathname: pathOf(pathname),
    search: Object.fromEntries(new URLSearchParams(search)),
    hash: hash.slice(1),
    state: history.state ?? {},
  }
}

let place: Place | undefined

/** Returns the address of the dashboard, now. */
export const placeNow = (): Place => {
  place ??= read()
  return place
}

const listeners = new Set<() => void>()
/** Asks before the page is left for another path, or for any other address. */
let guard: { ask: (go: () => void) => void; isStrict: boolean } | undefined
/** Returns the question before an address opens. */
const questionOf = (href: string) =>
  guard && (guard.isStrict || pathOf(href.replace(/\?.*/, '')) !== placeNow().pathname)
    ? guard.ask
    : undefined
/** True for a step that takes one of the browser back. */
let isReturn = false

function update(): void {
  place = read()
  for (const listener of listeners) listener()
}

addEventListener('popstate', () => {
  const steps = (history.state?.index ?? 0) - (placeNow().state.index ?? 0)
  const ask = questionOf(location.pathname)
  if (isReturn || !ask || steps === 0) {
    isReturn = false
    return update()
  }
  // The browser has moved already. It waits at the page for the answer.
  isReturn = true
  history.go(-steps)
  ask(() => history.go(steps))
})

/** Returns the address of a target within the dashboard. */
function hrefOf({ to, search = {} }: Target): string {
  const asked = typeof search === 'function' ? search(placeNow().search) : search
  const given = Object.entries(asked).flatMap(([name, value]) => (value ? [[name, value]] : []))
  // A query may contain slashes (RFC 3986 §3.4), which are easier to read.
  const query = new URLSearchParams(given).toString().replaceAll('%2F', '/')
  return `${to === '.' ? placeNow().pathname : to}${query && `?${query}`}`
}

/** Opens an address. */
export function navigate({ state, replace = false, ...target }: Step): void {
  const href = hrefOf(target)
  const go = () => {
    const { key, index = 0 } = placeNow().state
    const entry = replace ? { key, index } : { key: Math.random().toString(36).slice(2), index: index + 1 }
    history[replace ? 'replaceState' : 'pushState']({ ...state, ...entry }, '', href)
    update()
  }
  const ask = questionOf(href)
  if (ask) ask(go)
  else go()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the address of the dashboard, and renders again when it changes. */
export const usePlace = (): Place => useSyncExternalStore(subscribe, placeNow)

export const useSearch = (): Search => usePlace().search

/** Link within the dashboard. One to the open page says so. */
export function Link({ to, search, onClick, ...others }: Target & Omit<ComponentProps<'a'>, 'href'>) {
  const { pathname } = usePlace()
  const target = search === undefined ? { to } : { to, search }
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
    if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
    event.preventDefault()
    navigate(target)
  }
  const isOpen = search === undefined && pathname === to
  return <a {...others} {...(isOpen && { 'aria-current': 'page' })} href={hrefOf(target)} onClick={open} />
}

/** Opens another address as soon as it is rendered. */
export function Navigate(step: Step) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it is rendered
  useEffect(() => navigate(step), [])
  return null
}

/**
 * Returns the step that waits for an answer. While `isOn`, the page is left for another path only after one, and with
 * `isStrict` for any address.
 */
export function useGuard(
  isOn: boolean,
  isStrict: boolean,
): { proceed: () => void; stay: () => void } | undefined {
  const [go, setGo] = useState<() => void>()
  useLayoutEffect(() => {
    if (!isOn) return
    guard = { ask: (next) => setGo(() => next), isStrict }
    const refuse = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', refuse)
    return () => {
      guard = undefined
      removeEventListener('beforeunload', refuse)
    }
  }, [isOn, isStrict])
  const stay = () => setGo(undefined)
  const proceed = () => {
    guard = undefined
    stay()
    go?.()
  }
  return go && { proceed, stay }
}
