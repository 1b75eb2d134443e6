/**
 * Where uploads that are not finished are remembered, by what they are of, so that a later run goes on with
 * them. What it remembers is worth nothing without the caller's credentials.
 */
export interface UploadMemory {
  /** The id of the upload that was begun of this. */
  recall: (what: string) => string | undefined | Promise<string | undefined>
  remember: (what: string, id: string) => void | Promise<void>
  forget: (what: string) => void | Promise<void>
}

/** One that can be looked through. */
export interface BrowserMemory extends UploadMemory {
  list: () => { what: string; id: string }[]
}

/** What this uses of a browser's class. */
interface Storage {
  readonly length: number
  key: (index: number) => string | null
  getItem: (name: string) => string | null
  setItem: (name: string, value: string) => void
  removeItem: (name: string) => void
}
declare const localStorage: Storage

const PREFIX = 'holdfast:upload:'

/** Remembers uploads in `localStorage`; where the browser does not allow it, none. */
export function createBrowserMemory(): BrowserMemory {
  const allowed = <Answer>(use: (storage: Storage) => Answer, otherwise: Answer): Answer => {
    try {
      return use(localStorage)
    } catch {
      return otherwise
    }
  }
  return {
    recall: (what) => allowed((storage) => storage.getItem(PREFIX + what) ?? undefined, undefined),
    remember: (what, id) => allowed((storage) => storage.setItem(PREFIX + what, id), undefined),
    forget: (what) => allowed((storage) => storage.removeItem(PREFIX + what), undefined),
    list: () =>
      allowed(
        (storage) =>
          Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
            .filter((name) => name.startsWith(PREFIX))
            .map((name) => ({ what: name.slice(PREFIX.length), id: storage.getItem(name) ?? '' })),
        [],
      ),
  }
}
