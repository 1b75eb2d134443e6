import { ArrowDownUp, LayoutGrid, List } from 'lucide-react'
import { KINDS } from '../../../../platform/kinds.ts'
import { Button } from '../../../components/fields/button.tsx'
import { SearchField } from '../../../components/fields/search-field.tsx'
import { Segments } from '../../../components/fields/segments.tsx'
import { Select } from '../../../components/fields/select.tsx'
import { Menu, MenuChoice } from '../../../components/overlays/menu.tsx'
import { usePreference } from '../../../lib/preference.ts'
import { texts } from '../../../texts.ts'
import type { Filter } from '../items.ts'
import { layoutPreference, type OrderName, useOrder } from '../view.ts'

const LAYOUT_OPTIONS = [
  { value: 'list', label: texts.files.list, icon: List },
  { value: 'grid', label: texts.files.grid, icon: LayoutGrid },
] as const

const ORDER_OPTIONS: { value: OrderName; label: string }[] = [
  { value: 'name-ASC', label: texts.files.orders.name },
  { value: 'name-DESC', label: texts.files.orders.nameReverse },
  { value: 'updatedAt-DESC', label: texts.files.orders.newest },
  { value: 'updatedAt-ASC', label: texts.files.orders.oldest },
  { value: 'size-DESC', label: texts.files.orders.largest },
  { value: 'size-ASC', label: texts.files.orders.smallest },
]

const KIND_OPTIONS = (['all', ...KINDS] as const).map((value) => ({ value, label: texts.kinds[value] }))

interface ToolbarProps {
  filter: Filter
  onFilter: (filter: Filter) => void
}

/** Search, filter and layout of a folder's items. */
export function Toolbar({ filter, onFilter }: ToolbarProps) {
  const [layout, chooseLayout] = usePreference(layoutPreference)
  const [order, chooseOrder] = useOrder()
  return (
    <search className="toolbar">
      <SearchField
        label={texts.files.search}
        value={filter.search}
        onChange={(search) => onFilter({ ...filter, search })}
      />
      <Select
        label={texts.files.kind}
        className="kind-field"
        value={filter.kind}
        options={KIND_OPTIONS}
        onChoose={(kind) => onFilter({ ...filter, kind })}
      />
      <Menu
        trigger={
          <Button icon={ArrowDownUp} look="quiet">
            <span className="visually-hidden">{texts.files.order}: </span>
            <span className="order-label">{ORDER_OPTIONS.find(({ value }) => value === order)?.label}</span>
          </Button>
        }
      >
        <MenuChoice label={texts.files.order} value={order} options={ORDER_OPTIONS} onChoose={chooseOrder} />
      </Menu>
      <Segments label={texts.files.layout} value={layout} options={LAYOUT_OPTIONS} onChoose={chooseLayout} />
    </search>
  )
}
