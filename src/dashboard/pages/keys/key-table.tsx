import { Ellipsis, Pencil, Plug, Trash2 } from 'lucide-react'
import type { ApiKey } from '../../api/accounts.ts'
import { useKeyRequests } from '../../api/instance.ts'
import { useMe } from '../../api/session.ts'
import { IconButton } from '../../components/fields/button.tsx'
import { FolderKey } from '../../components/folder-key.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx'
import { Badge, RowName, Table, Time } from '../../components/table.tsx'
import { formatDistance, parseTime } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { KEY_SCOPES } from '../../lib/scopes.ts'
import { keyTexts } from '../../texts/keys.ts'
import { scopeTexts } from '../../texts/scopes.ts'

interface KeyTableProps {
  keys: readonly ApiKey[]
  onChange: (overlay: Overlay) => void
}

export function KeyTable({ keys, onChange }: KeyTableProps) {
  const requests = useKeyRequests().data
  const { columns } = keyTexts
  return (
    <Table
      label={keyTexts.list}
      rows={keys}
      columns={[
        { name: columns.name, cell: nameOf },
        { name: columns.folder, cell: (key) => <KeyFolder folder={key.folder} /> },
        { name: columns.scopes, cell: (key) => <Scopes scopes={key.scopes} /> },
        { name: columns.used, cell: ({ lastUsed }) => <When time={lastUsed} never={keyTexts.neverUsed} /> },
        {
          name: columns.requests,
          cell: ({ id }) => requests?.get(id) ?? '',
          isNumber: true,
        },
        { name: columns.expires, cell: (key) => <Expiry expiresAt={key.expiresAt} /> },
      ]}
      actionsName={keyTexts.actions}
      actions={(key) => (
        <Menu trigger={<IconButton icon={Ellipsis} label={keyTexts.actionsOf(key.name)} />}>
          <MenuItem icon={Plug} onSelect={() => onChange({ is: 'use', key })}>
            {keyTexts.settings}
          </MenuItem>
          <MenuItem icon={Pencil} onSelect={() => onChange({ is: 'rename', key })}>
            {keyTexts.rename}
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={Trash2} isDanger onSelect={() => onChange({ is: 'delete', key })}>
            {keyTexts.delete}
          </MenuItem>
        </Menu>
      )}
    />
  )
}

const nameOf = ({ name, createdAt }: ApiKey) => (
  <RowName note={keyTexts.made(formatDistance(createdAt))}>{name}</RowName>
)

/** Folder that an API key is bound to. In the trash or deleted, it has no object key. */
function KeyFolder({ folder }: Pick<ApiKey, 'folder'>) {
  if (!folder) return <span className="soft">{keyTexts.everywhere}</span>
  if (folder.key === null) return <Badge look="warning">{keyTexts.folderGone}</Badge>
  return (
    <Link to="/files" search={{ folder: folder.key }} className="anywhere">
      <FolderKey of={folder.key} />
    </Link>
  )
}

/** Scopes of an API key. One that its account has lost stays in the list without effect. */
function Scopes({ scopes }: Pick<ApiKey, 'scopes'>) {
  const { scopes: own } = useMe()
  return (
    <span className="badges">
      {KEY_SCOPES.filter((scope) => scopes.includes(scope)).map((scope) =>
        own.includes(scope) ? (
          <Badge key={scope}>{scopeTexts[scope].short}</Badge>
        ) : (
          <span key={scope} className="scope-lost" title={keyTexts.notInForce}>
            <Badge>{scopeTexts[scope].short}</Badge>
            <span className="visually-hidden">{keyTexts.notInForce}</span>
          </span>
        ),
      )}
    </span>
  )
}

const When = ({ time, never }: { time: string | null; never: string }) =>
  time === null ? <span className="soft">{never}</span> : <Time at={time} />

/** Time before expiry in milliseconds at which a key is highlighted. */
const SOON_MS = 7 * 86_400_000

function Expiry({ expiresAt }: Pick<ApiKey, 'expiresAt'>) {
  const when = <When time={expiresAt} never={keyTexts.never} />
  if (expiresAt === null) return when
  const left = parseTime(expiresAt).getTime() - Date.now()
  if (left > SOON_MS) return when
  return left > 0 ? (
    <Badge look="warning">{when}</Badge>
  ) : (
    <Badge look="danger">
      <Time at={expiresAt}>{keyTexts.expired(formatDistance(expiresAt))}</Time>
    </Badge>
  )
}

/** Dialog above the list. */
export type Overlay = { is: 'new' } | { is: 'use' | 'rename' | 'delete'; key: ApiKey }
