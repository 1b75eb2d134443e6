import { SearchX, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../api/session.ts'
import { type TrashItem, useTrash } from '../../api/trash.ts'
import { describeItems, purgeAll, purgeItems, restoreItems } from '../../bulk/trash.ts'
import { Button } from '../../components/fields/button.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import { Older } from '../../components/older.tsx'
import Confirm from '../../components/overlays/confirm.tsx'
import { Page } from '../../components/page.tsx'
import { formatCount } from '../../lib/format.ts'
import { useSelection } from '../../lib/selection.ts'
import { useSettled } from '../../lib/settled.ts'
import { texts } from '../../texts.ts'
import { SelectedActions } from './selected-actions.tsx'
import { Toolbar, useTrashOrder } from './toolbar.tsx'
import { TrashTable } from './trash-table.tsx'

/** Milliseconds after the last letter of a search until the server is asked. */
const SEARCH_MS = 250

/** Page of deleted files and folders, which can be restored. */
export default function TrashPage() {
  const mayDelete = useCan('files:delete')
  const [search, setSearch] = useState('')
  const sought = useSettled(search.trim(), SEARCH_MS)
  const trash = useTrash(sought, useTrashOrder())
  const [first] = trash.data?.pages ?? []
  const items = itemsOf(trash.data?.pages ?? [])
  const selection = useSelection(items)
  const [question, ask] = useState<Question>()
  const isSearch = search !== '' || sought !== ''
  const isEmpty = items.length === 0
  return (
    <Page
      title={texts.pages.trash}
      actions={
        mayDelete &&
        first &&
        !isEmpty &&
        !isSearch && (
          <Button icon={Trash2} onClick={() => ask({ total: first.total })}>
            {texts.trash.empty}
          </Button>
        )
      }
    >
      {first && (isSearch || !isEmpty) && (
        <>
          <p className="page-lead">{leadOf(first.trashDays)}</p>
          <Toolbar search={search} onSearch={setSearch} />
        </>
      )}
      {trash.isPending && <Loading />}
      {trash.error && !trash.data && <Failure error={trash.error} onRetry={trash.refetch} />}
      {first && isEmpty && isSearch && <Empty icon={SearchX} title={texts.trash.noMatch} />}
      {first && isEmpty && !isSearch && (
        <Empty icon={Trash2} title={texts.trash.nothing}>
          <p>{first.trashDays > 0 ? texts.trash.nothingText : texts.trash.leadOff}</p>
        </Empty>
      )}
      {!isEmpty && (
        <div className="trash stack">
          <TrashTable
            items={items}
            selection={selection}
            onRestore={(item) => void restoreItems([item])}
            onDelete={(item) => ask({ items: [item] })}
          />
          <Older history={trash} label={texts.trash.older} />
        </div>
      )}
      {selection.items.length > 0 && (
        <SelectedActions selection={selection} onDelete={(chosen) => ask({ items: chosen })} />
      )}
      {question && <PurgeQuestion question={question} onClose={() => ask(undefined)} />}
    </Page>
  )
}

/** Returns the items of all pages. Pages overlap when an item came between them. */
const itemsOf = (pages: readonly { items: TrashItem[] }[]): TrashItem[] => [
  ...new Map(pages.flatMap(({ items }) => items).map((item) => [item.id, item])).values(),
]

const leadOf = (days: number) =>
  days > 0 ? texts.trash.lead(formatCount(days, texts.nouns.day)) : texts.trash.leadOff

/** Items to delete for good: some, or all of them. */
type Question = { items: TrashItem[] } | { total: number }

function PurgeQuestion({ question, onClose }: { question: Question; onClose: () => void }) {
  const { trash: words, nouns } = texts
  if ('total' in question) {
    const { total } = question
    return (
      <Confirm
        title={words.emptyTitle}
        action={words.empty}
        onConfirm={() => void purgeAll(total)}
        onClose={onClose}
      >
        {words.emptyText(formatCount(total, nouns.item))}
      </Confirm>
    )
  }
  const { items } = question
  return (
    <Confirm
      title={words.deleteTitle(describeItems(items))}
      action={words.deleteForGood}
      onConfirm={() => void purgeItems(items)}
      onClose={onClose}
    >
      {items.length === 1 ? words.deleteText : words.deleteTextOfMany}
    </Confirm>
  )
}
