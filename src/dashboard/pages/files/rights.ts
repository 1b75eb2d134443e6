import { useHasSites, useMayShare } from '../../api/instance.ts'
import { type Right, useMayCopy, useReach } from '../../api/reach.ts'
import { useCan } from '../../api/session.ts'
import { parentKey } from '../../lib/paths.ts'
import { type Item, isFolder } from './items.ts'

/** Changes of items that the account may make. */
export interface ItemRights {
  mayWrite: boolean
  mayCopy: boolean
  mayDelete: boolean
  /** True if the account may share some of the items. */
  mayShare: boolean
  /** True if that holds for each of them. */
  mayShareAll: boolean
  mayMakePublic: boolean
  mayMakePrivate: boolean
  /** True if the account may open a folder to files of strangers. */
  mayReceive: boolean
  /** True if the account may show a folder as a website. */
  mayMakeSite: boolean
  mayMakeKeys: boolean
  mayLetIn: boolean
}

/** Returns what the account may do with items. Their names and places belong to the folder above. */
export function useItemRights(items: readonly Item[]): ItemRights {
  const reach = useReach()
  const [canWrite, canDelete] = [useCan('files:write'), useCan('files:delete')]
  const canShare = useMayShare()
  const mayMakeKeys = useCan('api-keys:manage')
  const mayLetIn = useCan('users:manage')
  const above = (right: Right) => items.every(({ key }) => reach.may(right, parentKey(key)))
  const isInside = (right: Right, item: Item) =>
    reach.may(right, isFolder(item) ? item.key : parentKey(item.key))
  const inside = (right: Right) => items.every((item) => isInside(right, item))
  const mayMakePrivate = canWrite && inside('write')
  const mayShareAll = inside('share')
  const mayMakePublic = mayMakePrivate && mayShareAll
  return {
    mayWrite: canWrite && above('write'),
    mayCopy: useMayCopy(),
    mayDelete: canDelete && above('delete'),
    mayShare: canShare && items.some((item) => isInside('share', item)),
    mayShareAll,
    mayMakePublic,
    mayMakePrivate,
    mayReceive: mayMakePrivate && canShare && mayShareAll,
    mayMakeSite: useHasSites() && mayMakePublic,
    mayMakeKeys,
    mayLetIn,
  }
}
