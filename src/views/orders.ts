/** Columns by which files can be ordered. The catalog has indexes for each (`test/catalog/plans.test.ts`). */
export const FILE_ORDERS = ['createdAt', 'updatedAt', 'name', 'size'] as const
/** Columns by which the dashboard offers to order files, in this order. */
export const OFFERED_ORDERS = ['name', 'updatedAt', 'size'] as const satisfies readonly FileOrder[]
/** Columns by which items of the trash can be ordered. */
export const TRASH_ORDERS = ['deletedAt', 'name', 'size'] as const

export type FileOrder = (typeof FILE_ORDERS)[number]
export type TrashOrder = (typeof TRASH_ORDERS)[number]

/** Order of a list by a column. */
export interface Order<Column extends string = (typeof OFFERED_ORDERS)[number]> {
  by: Column
  direction: 'ASC' | 'DESC'
}
export type OrderName<Column extends string = (typeof OFFERED_ORDERS)[number]> =
  `${Column}-${Order['direction']}`

/** Returns both orders of each column by their names. Names begin with A, times and sizes with the last. */
export const ordersBy = <Column extends string>(columns: readonly Column[]) =>
  new Map<OrderName<Column>, Order<Column>>(
    columns.flatMap((by) => {
      const directions: Order['direction'][] = by === 'name' ? ['ASC', 'DESC'] : ['DESC', 'ASC']
      return directions.map((direction) => [`${by}-${direction}`, { by, direction }] as const)
    }),
  )

/** Orders of files that the dashboard offers. */
export const ORDERS = ordersBy(OFFERED_ORDERS)
