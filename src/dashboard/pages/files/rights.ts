import { useMayShare } from '../../api/instance.ts'
import { useReach } from '../../api/reach.ts'
import { useCan } from '../../api/session.ts'
import { parentKey } from '../../lib/paths.ts'
import { type Item, isFolder } from './items.ts'

/** Changes of items that the account may make. */
export interface ItemRights {
  mayWrite: boolean
  mayDelete: boolean
  /** True if the account may share some of the items. */
  mayShare: boolean
  /** True if that holds for each of them. */
  mayShareAll: boolean
  /** True if the account may make them public. */
  mayPublish: boolean
  /** True if the account may open a folder to files of strangers. */
  mayReceive: boolean
  mayMakeKeys: boolean
  mayLetIn: boolean
}

/** Returns what the account may do with items. Their names and places are matters of the folder above. */
export function useItemRights(items: readonly Item[]): ItemRights {
  const reach = useReach()
  const [canWrite, canDelete] = [useCan('files:write'), useCan('files:delete')]
  const canShare = useMayShare()
  const mayMakeKeys = useCan('api-keys:manage')
  const mayLetIn = useCan('users:manage')
  const above = (right: 'write' | 'delete' | 'share') =>
    items.every(({ key }) => reach.may(right, parentKey(key)))
  const isShared = (item: Item) => reach.may('share', isFolder(item) ? item.key : parentKey(item.key))
  const mayWrite = canWrite && above('write')
  return {
    mayWrite,
    mayDelete: canDelete && above('delete'),
    mayShare: canShare && items.some(isShared),
    mayShareAll: items.every(isShared),
    mayPublish: mayWrite && above('share'),
    mayReceive: canWrite && canShare && items.every((item) => isShared(item) && reach.may('write', item.key)),
    mayMakeKeys,
    mayLetIn,
  }
}
