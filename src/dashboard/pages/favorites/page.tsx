import { useQuery } from '@tanstack/react-query'
import { Star } from 'lucide-react'
import { useEffect } from 'react'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { isFocusLost } from '../../components/overlays/layers.ts'
import { Page } from '../../components/page.tsx'
import { searchTexts } from '../../texts/search.ts'
import { texts } from '../../texts.ts'
import { FAVORITES } from '../files/favorites.tsx'
import { ItemTable } from '../files/list/item-table.tsx'

const stars = () => [...document.querySelectorAll<HTMLElement>('.item-table .favorite-button')]

/** Page of the files and folders that the account has marked, wherever they are. */
export default function FavoritesPage() {
  const { data, isPending, error, refetch } = useQuery({ ...FAVORITES, staleTime: 0 })
  // A row goes with its star. What had the focus is asked before that, when the page is drawn without it.
  const focused = stars().findIndex((star) => star.matches(':focus'))
  useEffect(() => {
    if (focused >= 0 && isFocusLost())
      stars()
        .slice(0, focused + 1)
        .at(-1)
        ?.focus()
  })
  return (
    <Page title={texts.pages.favorites}>
      {isPending && <Loading />}
      {error && <Failure error={error} onRetry={refetch} />}
      {data && data.length > 0 && <ItemTable label={texts.pages.favorites} items={data} time="updatedAt" />}
      {data?.length === 0 && (
        <Empty icon={Star} title={searchTexts.favorites.none}>
          <p>{searchTexts.favorites.how}</p>
        </Empty>
      )}
    </Page>
  )
}
