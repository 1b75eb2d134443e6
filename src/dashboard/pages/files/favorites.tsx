import { queryOptions, useQuery } from '@tanstack/react-query'
import { Star } from 'lucide-react'
import { client } from '../../api/client.ts'
import { queryClient, refresh, staleTimeOfLists } from '../../api/query.ts'
import { batchSteps, reportJob, runJob } from '../../bulk/job.ts'
import { IconButton } from '../../components/fields/button.tsx'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { idsOf } from './bulk.ts'
import type { Item } from './items.ts'

/** Query of the files and folders that the account has marked, the latest first. */
export const FAVORITES = queryOptions({
  queryKey: ['favorites'],
  queryFn: async (): Promise<readonly Item[]> =>
    (await client.favorites.list()).map((found) =>
      found.kind === 'file' ? { is: 'file', ...found.file } : { is: 'folder', ...found.folder },
    ),
  staleTime: staleTimeOfLists,
})

const { queryKey } = FAVORITES
const idsIn = (items: readonly Item[] = []) => new Set(items.map(({ id }) => id))

const useIsFavorite = (id: string) => useQuery({ ...FAVORITES, select: idsIn }).data?.has(id) ?? false

/** Returns true when all of some items are favorites. */
export const areFavorites = (items: readonly Item[]): boolean =>
  idsIn(items).isSubsetOf(idsIn(queryClient.getQueryData(queryKey)))

/** Marks items as favorites, or ends that when all of them are, and offers to undo it. */
export async function toggleFavorites(items: readonly Item[]): Promise<void> {
  const isEnd = areFavorites(items)
  const change = isEnd ? client.favorites.remove : client.favorites.add
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, (known = []) => {
    const [ids, changed] = [idsIn(known), idsIn(items)]
    return isEnd
      ? known.filter(({ id }) => !changed.has(id))
      : [...items.filter(({ id }) => !ids.has(id)), ...known]
  })
  const steps = batchSteps(items, (some) => change(idsOf(some)))
  const outcome = await runJob(texts.pages.favorites, steps)
  if (outcome.failed + outcome.left > 0) await refresh('favorites')
  reportJob(outcome, {
    done: isEnd ? browseTexts.favorites.removed : browseTexts.favorites.added,
    notDone: texts.files.visibilityFailed,
    undo: () => void toggleFavorites(items),
  })
}

/** Sign of an item that is a favorite. */
export const FavoriteSign = ({ id }: { id: string }) =>
  useIsFavorite(id) && (
    <span className="favorite-sign rigid" title={browseTexts.favorites.one}>
      <Star aria-hidden size={13} />
      <span className="visually-hidden">{browseTexts.favorites.one}</span>
    </span>
  )

/** Button that makes an item a favorite, and no favorite again. */
export const FavoriteButton = ({ item }: { item: Item }) => (
  <IconButton
    icon={Star}
    className="favorite-button"
    label={browseTexts.favorites.one}
    aria-pressed={useIsFavorite(item.id)}
    onClick={() => void toggleFavorites([item])}
  />
)
