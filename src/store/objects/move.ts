import type { Work } from '../../catalog/engine/query.ts'
import { joinKey } from '../../platform/names.ts'
import { MARKER } from '../../volume/layout.ts'
import { assertFitsBelow } from '../folder/change.ts'
import { type Move, moveRow, type PlannedMove } from '../moves.ts'
import { assertNameFree, type Located } from '../tree.ts'
import { assertFits, type ObjectDeps } from './deps.ts'

/**
 * Moves or renames a file or folder by one row: no blob has its name.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict`, and as `plan`.
 */
export const move = <Row>(
  deps: ObjectDeps,
  plan: () => Work<PlannedMove<Row>>,
  what: 'file' | 'folder',
): Promise<Located<Row>> =>
  deps.catalog.transact(
    function* () {
      const planned = yield* plan()
      if ('stay' in planned) return yield* planned.stay()
      yield* admit(deps, planned)
      return yield* moveRow(deps, planned)
    },
    { stopsUploads: what === 'folder' },
  )

function* admit(deps: ObjectDeps, { what, row, key, target, name }: Move<unknown>): Work<void> {
  const to = joinKey(target.key, name)
  const isLonger = Buffer.byteLength(to) > Buffer.byteLength(key)
  assertFits(target.missing.map(({ key }) => key))
  if (what === 'file' || isLonger || to === MARKER) assertFits([to])
  if (what === 'folder' && isLonger) yield* assertFitsBelow(deps.catalog, { id: row.id, key: to })
  if (target.missing.length === 0) yield* assertNameFree(deps, target.folderId, name)
}
