import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'
import { refreshing, useLog } from './query.ts'

export type { Share, ShareChanges, ShareFields, ShareVisit } from '../../client/index.ts'

/** Queries the account's own shares, or those of all accounts. */
export const useShares = (ofAll: boolean) =>
  useQuery({ queryKey: ['shares', ofAll], queryFn: () => client.shares.list({ all: ofAll }), staleTime: 0 })

/** Queries the visits of a share. */
export const useVisits = (id: string) =>
  useLog(['share-visits', id], (page) => client.shares.visits(id, page))

/** Queries the webhooks that a share may notify. */
export const useShareWebhooks = () =>
  useQuery({ queryKey: ['share-webhooks'], queryFn: client.webhooks.forShares })

export const createShare = refreshing(client.shares.create, 'shares')
export const changeShare = refreshing(client.shares.change, 'shares')
export const endShare = refreshing(client.shares.end, 'shares')
