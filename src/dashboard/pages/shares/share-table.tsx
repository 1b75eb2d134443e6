import { Copy, Ellipsis, ExternalLink, Eye, Inbox, Pencil, QrCode, Unlink } from 'lucide-react'
import type { ReactNode } from 'react'
import { useUsers } from '../../api/accounts.ts'
import { useMe } from '../../api/session.ts'
import type { Share } from '../../api/shares.ts'
import { IconButton } from '../../components/fields/button.tsx'
import { copyText } from '../../components/fields/copy-field.tsx'
import { KindIcon } from '../../components/icons.tsx'
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../../components/overlays/menu.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { Badge, RowName, Table, Time } from '../../components/table.tsx'
import { formatNumber } from '../../language.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { linkTo } from '../../lib/paths.ts'
import { nameOf, shownItems } from '../../shares/rules.ts'
import { shareTexts } from '../../texts/shares.ts'
import { texts } from '../../texts.ts'

interface ShareTableProps {
  shares: readonly Share[]
  /** True for the shares of all accounts, with their owners. */
  isAll: boolean
  onChange: (overlay: Overlay) => void
}

/** Shares with their rules and counts, newest first. */
export function ShareTable({ shares, isAll, onChange }: ShareTableProps) {
  const { columns } = shareTexts
  return (
    <Table
      label={shareTexts.list}
      rows={shares}
      columns={[
        { name: columns.name, cell: (share) => <Name share={share} /> },
        ...(isAll ? [{ name: columns.owner, cell: ({ userId }: Share) => <Owner id={userId} /> }] : []),
        { name: columns.downloads, cell: downloadsOf },
        { name: columns.received, cell: receivedOf },
        { name: columns.expires, cell: expiryOf },
      ]}
      actionsName={shareTexts.actions}
      actions={(share) => <Actions share={share} onChange={onChange} />}
    />
  )
}

function Name({ share }: { share: Share }) {
  const states = statesOf(share)
  const [first] = shownItems(share)
  return (
    <span className="row gap-3">
      {share.canRead ? (
        <KindIcon kind={first?.kind ?? 'other'} />
      ) : (
        <Inbox aria-hidden className="soft rigid" size={20} strokeWidth={1.6} />
      )}
      <span>
        <RowName note={`/${share.url}`}>{nameOf(share)}</RowName>
        {states.length > 0 && (
          <span className="badges share-states">
            {states.map(([state, look]) => (
              <Badge key={state} look={look}>
                {shareTexts.states[state]}
              </Badge>
            ))}
          </span>
        )}
      </span>
    </span>
  )
}

type State = keyof typeof shareTexts.states

/** Returns why a share is closed to visitors, and its rules that matter most. */
function statesOf(share: Share): [State, 'plain' | 'warning' | 'danger'][] {
  const { expiresAt, maxDownloads, downloads, canRead, canWrite, hasPassword } = share
  const states: [State, 'plain' | 'warning' | 'danger'][] = []
  if (isPast(expiresAt)) states.push(['expired', 'danger'])
  if (maxDownloads !== null && downloads >= maxDownloads) states.push(['usedUp', 'warning'])
  if (canRead && shownItems(share).length === 0) states.push(['missing', 'warning'])
  if (canWrite) states.push(share.folderName === null ? ['folderGone', 'warning'] : ['dropBox', 'plain'])
  if (hasPassword) states.push(['password', 'plain'])
  return states
}

const isPast = (time: string | null) => time !== null && new Date(time).getTime() <= Date.now()

/** Account of a share, by its name. */
function Owner({ id }: { id: string }) {
  const { data: users } = useUsers()
  return users?.find((user) => user.id === id)?.name ?? ''
}

const NONE = <span className="soft">–</span>

function downloadsOf({ canRead, downloads, maxDownloads }: Share): ReactNode {
  if (!canRead) return NONE
  const done = formatNumber(downloads)
  return maxDownloads === null ? done : shareTexts.downloadsOf(done, formatNumber(maxDownloads))
}

function receivedOf({ canWrite, receivedFiles, receivedBytes, ...share }: Share): ReactNode {
  if (!canWrite) return NONE
  const done = shareTexts.receivedOf(formatCount(receivedFiles, texts.nouns.file), formatBytes(receivedBytes))
  if (share.reservedFiles === 0) return done
  const [arrived, announced] = [formatBytes(share.unfinishedBytes), formatBytes(share.reservedBytes)]
  const files = formatCount(share.reservedFiles, texts.nouns.file)
  return (
    <>
      {done}
      <span className="soft">{shareTexts.reservedOf(files, arrived, announced)}</span>
    </>
  )
}

const expiryOf = ({ expiresAt }: Share): ReactNode =>
  expiresAt === null ? <span className="soft">{shareTexts.never}</span> : <Time at={expiresAt} />

function Actions({ share, onChange }: { share: Share } & Pick<ShareTableProps, 'onChange'>) {
  const isOwn = useMe().user.id === share.userId
  const name = nameOf(share)
  return (
    <>
      <IconButton icon={Copy} label={shareTexts.copyLinkOf(name)} onClick={() => copyLink(share)} />
      <Menu trigger={<IconButton icon={Ellipsis} label={shareTexts.actionsOf(name)} />}>
        <MenuItem icon={QrCode} onSelect={() => onChange({ is: 'link', share })}>
          {shareTexts.showLink}
        </MenuItem>
        <MenuLink icon={ExternalLink} href={linkTo(share)}>
          {shareTexts.open}
        </MenuLink>
        <MenuItem icon={Eye} onSelect={() => onChange({ is: 'visits', share })}>
          {shareTexts.visits}
        </MenuItem>
        {isOwn && (
          <MenuItem icon={Pencil} onSelect={() => onChange({ is: 'edit', share })}>
            {shareTexts.edit}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={Unlink} isDanger onSelect={() => onChange({ is: 'end', share })}>
          {shareTexts.end}
        </MenuItem>
      </Menu>
    </>
  )
}

const copyLink = (share: Share) =>
  copyText(linkTo(share)).then(
    () => toast.done(shareTexts.linkCopied),
    () => toast.error(texts.errors.copy),
  )

/** Dialog above the list. */
export interface Overlay {
  is: 'link' | 'visits' | 'edit' | 'end'
  share: Share
}
