import { useMe } from '../api/session.ts'
import { PAGES, type PageEntry } from '../pages.ts'

/** Returns the pages that the account can open. */
export function usePages(): PageEntry[] {
  const { scopes } = useMe()
  return PAGES.filter(({ scope }) => scope === undefined || scopes.includes(scope))
}
