/**
 * Storage of unfinished uploads, so that a later run resumes them. An upload's id is useless without the caller's
 * credentials.
 */
export interface UploadMemory {
  /** Returns the id of an unfinished upload. */
  recall: (what: string) => string | undefined | Promise<string | undefined>
  remember: (what: string, id: string) => void | Promise<void>
  forget: (what: string) => void | Promise<void>
}

/** Storage that can list its uploads. */
export interface BrowserMemory extends UploadMemory {
  recall: (what: string) => string | undefined
  list: () => { what: string; id: string }[]
}

/** Members of a browser's class. */
interface Storage {
  readonly length: number
  key: (index: number) => string | null
  getItem: (name: string) => string | null
  setItem: (name: string, value: string) => void
  removeItem: (name: string) => void
}
declare const localStorage: Storage

const PREFIX = 'holdfast:upload:'

/** Returns a storage in `localStorage`. It stays empty where the browser forbids access. */
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
