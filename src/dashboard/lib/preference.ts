import { createStore, type Store, useStore } from './store.ts'

/** Choice of this browser's user, stored where the browser allows it. */
export interface Preference<Value extends string> extends Store<Value> {
  choose: (value: Value) => void
}

export function createPreference<Value extends string>(
  name: string,
  values: readonly Value[],
  initial: Value,
): Preference<Value> {
  const key = `holdfast:${name}`
  const kept = read(key)
  const store = createStore(values.find((value) => value === kept) ?? initial)
  const choose = (value: Value) => {
    store.set(() => value)
    try {
      localStorage.setItem(key, value)
    } catch {
      // Private windows may refuse. The choice then lasts as long as the page.
    }
  }
  return { ...store, choose }
}

export const usePreference = <Value extends string>(preference: Preference<Value>) =>
  [useStore(preference), preference.choose] as const

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
