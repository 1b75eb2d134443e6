import { ArrowDownUp, SearchX, Shredder, Trash2, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { type Order, type OrderName, ordersBy, TRASH_ORDERS, type TrashOrder } from '../../../views/orders.ts'
import { type TrashItem, useTrash } from '../../api/trash.ts'
import { describeItems, purgeAll, purgeItems, restoreItems } from '../../bulk/trash.ts'
import { Button, IconButton } from '../../components/fields/button.tsx'
import { SearchField } from '../../components/fields/field.tsx'
import { Empty, Failure, Loading } from '../../components/notice.tsx'
import Confirm from '../../components/overlays/confirm.tsx'
import { Menu, MenuChoice } from '../../components/overlays/menu.tsx'
import { Page } from '../../components/page.tsx'
import { Older } from '../../components/table.tsx'
import { formatBytes, formatCount, formatItems } from '../../lib/format.ts'
import { type Selection, useSelection } from '../../lib/selection.ts'
import { createPreference, usePreference, useSettled } from '../../lib/store.ts'
import { texts } from '../../texts.ts'
import { TrashTable, useTrashRights } from './trash-table.tsx'

/** Milliseconds after the last letter of a search until the server is asked. */
const SEARCH_MS = 250

/** Page of deleted files and folders, which can be restored. */
export default function TrashPage() {
  const { mayDelete } = useTrashRights()
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
        mayDelete(items) &&
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

interface SelectedActionsProps {
  selection: Selection<TrashItem>
  onDelete: (items: TrashItem[]) => void
}

/** Bar of actions on the selected items, at the lower edge of the page. */
export function SelectedActions({ selection: { items, clear }, onDelete }: SelectedActionsProps) {
  const { mayRestore, mayDelete } = useTrashRights()
  const files = items.filter(({ kind }) => kind === 'file').length
  const size = items.reduce((sum, item) => sum + item.size, 0)
  return (
    <section className="toolbar row selection-bar trash-selection" aria-label={texts.files.selection}>
      <IconButton icon={X} label={texts.files.clearSelection} onClick={clear} />
      <p className="selection-count row on-line medium" aria-live="polite">
        {texts.files.selected(formatItems({ files, folders: items.length - files }))}
        <small>{formatBytes(size)}</small>
      </p>
      {mayRestore(items) && (
        <Button look="quiet" icon={Undo2} onClick={() => void restoreItems(items)}>
          {texts.trash.restore}
        </Button>
      )}
      {mayDelete(items) && (
        <Button look="quiet" icon={Shredder} onClick={() => onDelete(items)}>
          {texts.trash.deleteForGood}
        </Button>
      )}
    </section>
  )
}

const ORDERS = ordersBy(TRASH_ORDERS)
const NAMES = [...ORDERS.keys()]
const orderPreference = createPreference('trash-order', NAMES, 'deletedAt-DESC')

const LABELS: Record<OrderName<TrashOrder>, string> = { ...texts.files.orders, ...texts.trash.orders }
const OPTIONS = NAMES.map((value) => ({ value, label: LABELS[value] }))

/** Returns the chosen order of the trash. */
const useTrashOrder = (): Order<TrashOrder> =>
  ORDERS.get(usePreference(orderPreference)[0]) ?? { by: 'deletedAt', direction: 'DESC' }

interface ToolbarProps {
  search: string
  onSearch: (search: string) => void
}

/** Search and order of the deleted items. */
export function Toolbar({ search, onSearch }: ToolbarProps) {
  const [order, chooseOrder] = usePreference(orderPreference)
  return (
    <search className="toolbar row trash-toolbar">
      <SearchField label={texts.trash.search} value={search} onChange={onSearch} />
      <Menu
        trigger={
          <Button icon={ArrowDownUp} look="quiet">
            <span className="visually-hidden">{texts.trash.order}: </span>
            <span className="order-label">{LABELS[order]}</span>
          </Button>
        }
      >
        <MenuChoice label={texts.trash.order} value={order} options={OPTIONS} onChoose={chooseOrder} />
      </Menu>
    </search>
  )
}
