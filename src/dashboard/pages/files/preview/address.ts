import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True for an entry that a preview added, so that closing it goes back. */
    isPreview?: boolean
  }
}

/** Returns the id of the file in the address; undefined without a preview. */
export function usePreviewedId(): string | undefined {
  const search: { preview?: unknown } = useSearch({ strict: false })
  return typeof search.preview === 'string' ? search.preview : undefined
}

type Search = Record<string, unknown>

/** Returns the function that opens a file's preview at an address of its own. */
export function useOpenPreview(): (id: string) => void {
  const navigate = useNavigate()
  return (id) =>
    void navigate({
      to: '/files',
      search: (now: Search) => ({ ...now, preview: id }),
      state: { isPreview: true },
    })
}

/** Returns functions that leave a preview: for another file, without another step of the history, or for the list. */
export function useLeavePreview() {
  const navigate = useNavigate()
  const { history } = useRouter()
  return {
    showOther: (id: string) =>
      void navigate({
        to: '/files',
        search: (now: Search) => ({ ...now, preview: id }),
        state: true,
        replace: true,
      }),
    close: () => {
      if (history.location.state.isPreview) history.back()
      else
        void navigate({
          to: '/files',
          search: ({ preview: _, ...others }: Search) => others,
          replace: true,
        })
    },
  }
}
