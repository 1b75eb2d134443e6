import {
  ArrowDownUp,
  Download,
  FolderInput,
  Globe,
  LayoutGrid,
  List,
  Lock,
  type LucideIcon,
  Share2,
  Trash2,
  X,
} from 'lucide-react'
import { KINDS } from '../../../../platform/kinds.ts'
import { ORDERS } from '../../../../views/orders.ts'
import { Button, IconButton } from '../../../components/fields/button.tsx'
import { SearchField } from '../../../components/fields/field.tsx'
import { Segments, Select } from '../../../components/fields/select.tsx'
import { Menu, MenuChoice } from '../../../components/overlays/menu.tsx'
import { formatBytes, formatItems } from '../../../lib/format.ts'
import type { Selection } from '../../../lib/selection.ts'
import { usePreference } from '../../../lib/store.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { download } from '../downloads.ts'
import { countItems, type Filter, type Item } from '../items.ts'
import { useItemRights } from '../rights.ts'
import { useSizeOf } from '../use-items.ts'
import { layoutPreference, useOrder } from '../view.ts'

const LAYOUT_OPTIONS = [
  { value: 'list', label: texts.files.list, icon: List },
  { value: 'grid', label: texts.files.grid, icon: LayoutGrid },
] as const

const ORDER_OPTIONS = [...ORDERS.keys()].map((value) => ({ value, label: texts.files.orders[value] }))

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
    <search className="toolbar row">
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
            <span className="order-label">{texts.files.orders[order]}</span>
          </Button>
        }
      >
        <MenuChoice label={texts.files.order} value={order} options={ORDER_OPTIONS} onChoose={chooseOrder} />
      </Menu>
      <Segments label={texts.files.layout} value={layout} options={LAYOUT_OPTIONS} onChoose={chooseLayout} />
    </search>
  )
}

interface SelectionBarProps {
  selection: Selection<Item>
  commands: FileCommands
  /** Id of the folder whose whole content is selected. */
  whole: string | undefined
}

/** Actions on the selection, in place of the toolbar. */
export function SelectionBar({ selection, commands, whole }: SelectionBarProps) {
  const { items, clear } = selection
  const may = useItemRights(items)
  const size = useSizeOf(items) ?? 0
  return (
    <section className="toolbar row selection-bar" aria-label={texts.files.selection}>
      <IconButton icon={X} label={texts.files.clearSelection} onClick={clear} />
      <p className="selection-count row on-line medium" aria-live="polite">
        {texts.files.selected(formatItems(countItems(items)))}
        {size > 0 && <small>{formatBytes(size)}</small>}
      </p>
      <Action icon={Download} name={texts.files.download} onClick={() => download(items, whole)} />
      {may.mayShare && (
        <Action
          icon={Share2}
          name={texts.files.share}
          problem={may.mayShareAll ? undefined : texts.files.noneToShare}
          onClick={() => commands.share(items)}
        />
      )}
      {may.mayWrite && (
        <Action icon={FolderInput} name={texts.files.move} onClick={() => commands.move(items)} />
      )}
      {may.mayMakePublic && (
        <Action
          icon={Globe}
          name={texts.files.makePublic}
          onClick={() => commands.setVisibility(items, 'public')}
        />
      )}
      {may.mayMakePrivate && (
        <Action
          icon={Lock}
          name={texts.files.makePrivate}
          onClick={() => commands.setVisibility(items, 'private')}
        />
      )}
      {may.mayDelete && (
        <Action icon={Trash2} name={texts.files.delete} onClick={() => commands.remove(items)} />
      )}
    </section>
  )
}

interface ActionProps {
  icon: LucideIcon
  name: string
  /** Reason for which it is disabled. */
  problem?: string | undefined
  onClick: () => void
}

/** Button whose name is a title where the bar has no room for words. */
const Action = ({ icon, name, problem, onClick }: ActionProps) => (
  <Button look="quiet" icon={icon} title={problem ?? name} disabled={problem !== undefined} onClick={onClick}>
    {name}
  </Button>
)
