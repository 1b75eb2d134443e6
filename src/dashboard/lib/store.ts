import { useEffect, useState, useSyncExternalStore } from 'react'

/** State outside the tree of components, which survives a change of page. */
export interface Store<State> {
  get: () => State
  set: (change: (state: State) => State) => void
  subscribe: (listener: () => void) => () => void
}

export function createStore<State>(initial: State): Store<State> {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    get: () => state,
    set: (change) => {
      state = change(state)
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const useStore = <State>(store: Store<State>): State =>
  useSyncExternalStore(store.subscribe, store.get)

/** Beginning of the names of choices in the browser's storage. */
const PREFIX = 'holdfast:'

/** Choice of this browser's user, stored where the browser allows it. */
export interface Preference<Value extends string> extends Store<Value> {
  choose: (value: Value) => void
}

export function createPreference<Value extends string>(
  name: string,
  values: readonly Value[],
  initial: Value,
): Preference<Value> {
  const kept = read(name)
  const store = createStore(values.find((value) => value === kept) ?? initial)
  const choose = (value: Value) => {
    store.set(() => value)
    keep(name, value)
  }
  return { ...store, choose }
}

export const usePreference = <Value extends string>(preference: Preference<Value>) =>
  [useStore(preference), preference.choose] as const

/** Stores a choice of this browser's user, also for `theme/first-paint.ts`. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value)
  } catch {
    // Private windows may refuse. The choice then lasts as long as the page.
  }
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** Returns whether a media query matches, and renders again when that changes. */
export function useMedia(query: string): boolean {
  const media = matchMedia(query)
  const subscribe = (listener: () => void) => {
    media.addEventListener('change', listener)
    return () => media.removeEventListener('change', listener)
  }
  return useSyncExternalStore(subscribe, () => media.matches)
}

/** Returns a value once it has stayed the same for `ms` milliseconds, so that not each letter asks the server. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
