import { useEffect, useRef, useState } from 'react'
import { KINDS } from '../../../platform/kinds.ts'
import { ORDERS, type Order, type OrderName } from '../../../views/orders.ts'
import { navigate, type Search, useSearch } from '../../lib/router.tsx'
import { createPreference, usePreference } from '../../lib/store.ts'
import { FIELD } from '../../received/cache.ts'
import type { Filter } from './items.ts'

export const LAYOUTS = ['list', 'grid'] as const
export const layoutPreference = createPreference('layout', LAYOUTS, 'list')

const NAMES = [...ORDERS.keys()]
export const orderPreference = createPreference<OrderName>('order', NAMES, 'name-ASC')

export const parseOrder = (name: OrderName): Order => ORDERS.get(name) ?? { by: 'name', direction: 'ASC' }

/** Returns the order after a click on a column's heading: the column's own, then its reverse. */
export const nextOrder = (present: OrderName, by: Order['by']): OrderName =>
  NAMES.find((name) => parseOrder(name).by === by && name !== present) ?? present

const orderName = (asked: unknown, preferred: OrderName): OrderName =>
  NAMES.find((name) => name === asked) ?? preferred

/** Returns the order in the address, else the last choice. */
export const orderIn = (asked: unknown): Order => parseOrder(orderName(asked, orderPreference.get()))

/** Returns the order of the list and a function that changes it: that of the address, else the last choice. */
export function useOrder(): readonly [OrderName, (order: OrderName) => void] {
  const [preferred, prefer] = usePreference(orderPreference)
  const search = useSearch()
  const choose = (order: OrderName) => {
    prefer(order)
    navigate({ to: '/files', search: (now: Search) => ({ ...now, order }), replace: true })
  }
  return [orderName(search.order, preferred), choose]
}

/** Milliseconds after the last key until a search is in the address. */
const SETTLE_MS = 250

/** Returns the filter of the list and a function that changes it. It is part of the address. */
export function useFilter(): readonly [Filter, (filter: Filter) => void] {
  const search = useSearch()
  const text = typeof search.q === 'string' ? search.q : ''
  const kind = KINDS.find((known) => known === search.kind) ?? 'all'
  const [filter, setFilter] = useState<Filter>({ search: text, kind })
  const written = useRef(filter)
  useEffect(() => {
    // Another address, by Back or a link.
    if (written.current.search === text && written.current.kind === kind) return
    written.current = { search: text, kind }
    setFilter(written.current)
  }, [text, kind])
  useEffect(() => {
    if (filter === written.current) return
    const timer = setTimeout(() => {
      written.current = filter
      const asked = { q: filter.search || undefined, kind: filter.kind === 'all' ? undefined : filter.kind }
      navigate({ to: '/files', search: (now: Search) => ({ ...now, ...asked }), replace: true })
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [filter])
  return [filter, setFilter]
}

/** Returns the id of a batch of files that another app has shared; empty for none. */
export function useReceivedBatch(): string {
  const search = useSearch()
  return String(search[FIELD] ?? '')
}

/** Returns the object key of the folder in the address. */
export function useFolderKey(): string {
  const search = useSearch()
  return typeof search.folder === 'string' ? search.folder : ''
}

export function useOpenFolder(): (key: string) => void {
  return (key) => navigate({ to: '/files', search: { folder: key } })
}
