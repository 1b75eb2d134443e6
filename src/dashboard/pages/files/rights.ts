import { useMayShare } from '../../api/instance.ts'
import { useCan } from '../../api/session.ts'

/** Changes of items that the account may make. */
export interface ItemRights {
  mayWrite: boolean
  mayDelete: boolean
  mayShare: boolean
  mayMakeKeys: boolean
}

export const useItemRights = (): ItemRights => ({
  mayWrite: useCan('files:write'),
  mayDelete: useCan('files:delete'),
  mayShare: useMayShare(),
  mayMakeKeys: useCan('api-keys:manage'),
})
