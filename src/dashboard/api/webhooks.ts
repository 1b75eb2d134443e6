import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '../../client/index.ts'
import { client } from './client.ts'

export type { Webhook }

/** Queries the webhooks of the instance, for admins. */
export const useWebhooks = () =>
  useQuery({ queryKey: ['webhooks'], queryFn: client.webhooks.list, staleTime: 0 })
