import { navigate, placeNow, type Search, useSearch } from '../../../lib/router.tsx'

/** Returns the id of the file in the address; undefined without a preview. */
export function usePreviewedId(): string | undefined {
  const search = useSearch()
  return typeof search.preview === 'string' ? search.preview : undefined
}

/** True at the address of a file's editor. */
export const useIsEditing = (): boolean => useSearch().edit !== undefined

/** Returns the function that opens a file's preview, or its editor, at an address of its own. */
export function useOpenPreview(): (id: string, how?: { isEdited: boolean }) => void {
  return (id, { isEdited } = { isEdited: false }) =>
    navigate({
      to: '/files',
      search: (now: Search) => ({ ...now, preview: id, edit: isEdited ? '1' : undefined }),
      state: { isPreview: true },
    })
}

/** Returns the function that goes from a file's preview to its editor. */
export function useEdit(): () => void {
  return () =>
    navigate({
      to: '/files',
      search: (now: Search) => ({ ...now, edit: '1' }),
      state: { ...placeNow().state, isEdit: true },
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
          search: ({ preview: _, edit: __, ...others }: Search) => others,
          replace: true,
        })
    },
    /** Leaves the editor for the preview. */
    endEdit: () => {
      if (placeNow().state.isEdit) history.back()
      else
        navigate({
          to: '/files',
          search: ({ edit: _, ...others }: Search) => others,
          state: placeNow().state,
          replace: true,
        })
    },
  }
}
