import { navigate, placeNow, type Search, useSearch } from '../../../lib/router.tsx'

/** Returns the id of the file in the address; undefined without a preview. */
export function usePreviewedId(): string | undefined {
  const search = useSearch()
  return typeof search.preview === 'string' ? search.preview : undefined
}

/** Returns the function that opens a file's preview at an address of its own. */
export function useOpenPreview(): (id: string) => void {
  return (id) =>
    navigate({
      to: '/files',
      search: (now: Search) => ({ ...now, preview: id }),
      state: { isPreview: true },
    })
}

/** Returns functions that leave a preview: for another file, without another step of the history, or for the list. */
export function useLeavePreview() {
  return {
    showOther: (id: string) =>
      navigate({
        to: '/files',
        search: (now: Search) => ({ ...now, preview: id }),
        state: placeNow().state,
        replace: true,
      }),
    close: () => {
      if (placeNow().state.isPreview) history.back()
      else
        navigate({
          to: '/files',
          search: ({ preview: _, ...others }: Search) => others,
          replace: true,
        })
    },
  }
}
