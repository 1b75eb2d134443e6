import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Order } from '../../api/files.ts'
import { createPreference } from '../../lib/preference.ts'

export const LAYOUTS = ['list', 'grid'] as const
export const layoutPreference = createPreference('layout', LAYOUTS, 'list')

const ORDERS = ['name-ASC', 'name-DESC', 'updatedAt-DESC', 'updatedAt-ASC', 'size-DESC', 'size-ASC'] as const
export type OrderName = (typeof ORDERS)[number]
export const orderPreference = createPreference<OrderName>('order', ORDERS, 'name-ASC')

const PARSED: Record<OrderName, Order> = {
  'name-ASC': { by: 'name', direction: 'ASC' },
  'name-DESC': { by: 'name', direction: 'DESC' },
  'updatedAt-DESC': { by: 'updatedAt', direction: 'DESC' },
  'updatedAt-ASC': { by: 'updatedAt', direction: 'ASC' },
  'size-DESC': { by: 'size', direction: 'DESC' },
  'size-ASC': { by: 'size', direction: 'ASC' },
}
export const parseOrder = (name: OrderName): Order => PARSED[name]

/** Returns the order after a click on a column's heading: the column's own, then its reverse. */
export function nextOrder(present: OrderName, by: Order['by']): OrderName {
  const first: OrderName = by === 'name' ? 'name-ASC' : `${by}-DESC`
  const reverse: OrderName = by === 'name' ? 'name-DESC' : `${by}-ASC`
  return present === first ? reverse : first
}

/** Returns the object key of the folder in the address. */
export function useFolderKey(): string {
  const search: { folder?: unknown } = useSearch({ strict: false })
  return typeof search.folder === 'string' ? search.folder : ''
}

export function useOpenFolder(): (key: string) => void {
  const navigate = useNavigate()
  return (key) => void navigate({ to: '/files', search: { folder: key } })
}
