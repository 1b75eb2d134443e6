import { ArrowDownUp } from 'lucide-react'
import type { TrashOrder } from '../../api/trash.ts'
import { Button } from '../../components/fields/button.tsx'
import { SearchField } from '../../components/fields/search-field.tsx'
import { Menu, MenuChoice } from '../../components/overlays/menu.tsx'
import { createPreference, usePreference } from '../../lib/preference.ts'
import { texts } from '../../texts.ts'

const ORDERS = ['deletedAt-DESC', 'deletedAt-ASC', 'name-ASC', 'name-DESC', 'size-DESC', 'size-ASC'] as const
type OrderName = (typeof ORDERS)[number]

const orderPreference = createPreference<OrderName>('trash-order', ORDERS, 'deletedAt-DESC')

const PARSED: Record<OrderName, TrashOrder> = {
  'deletedAt-DESC': { orderBy: 'deletedAt', orderDirection: 'DESC' },
  'deletedAt-ASC': { orderBy: 'deletedAt', orderDirection: 'ASC' },
  'name-ASC': { orderBy: 'name', orderDirection: 'ASC' },
  'name-DESC': { orderBy: 'name', orderDirection: 'DESC' },
  'size-DESC': { orderBy: 'size', orderDirection: 'DESC' },
  'size-ASC': { orderBy: 'size', orderDirection: 'ASC' },
}

const { orders } = texts.files
const LABELS: Record<OrderName, string> = {
  'deletedAt-DESC': texts.trash.orders.newest,
  'deletedAt-ASC': texts.trash.orders.oldest,
  'name-ASC': orders.name,
  'name-DESC': orders.nameReverse,
  'size-DESC': orders.largest,
  'size-ASC': orders.smallest,
}
const OPTIONS = ORDERS.map((value) => ({ value, label: LABELS[value] }))

/** Returns the chosen order of the trash. */
export const useTrashOrder = (): TrashOrder => PARSED[usePreference(orderPreference)[0]]

interface ToolbarProps {
  search: string
  onSearch: (search: string) => void
}

/** Search and order of the deleted items. */
export function Toolbar({ search, onSearch }: ToolbarProps) {
  const [order, chooseOrder] = usePreference(orderPreference)
  return (
    <search className="toolbar trash-toolbar">
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
