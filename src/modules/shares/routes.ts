import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import * as docs from './docs.ts'
import {
  ChangeBody,
  CreateBody,
  EndBody,
  ShareAnswer,
  SharesAnswer,
  SharesQuery,
  shareView,
  VisitsAnswer,
  VisitsQuery,
  visitView,
} from './model.ts'
import { changeShare, createShare, endShare, listShares, listVisits, type WholeShare } from './service.ts'

const view = ({ share, ...rest }: WholeShare) => shareView(share, rest)

/** Builds `/api/shares`: the caller's own shares. */
export function shareRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/shares' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, query }) =>
        success({ shares: (await listShares(deps, caller, query.all === '1')).map(view) }),
      { ...docs.listShares, access: READ, query: SharesQuery, response: { 200: SharesAnswer } },
    )
    .get(
      '/visits',
      async ({ caller, query }) =>
        success({ visits: (await listVisits(deps, caller, query)).map(visitView) }),
      { ...docs.listShareVisits, access: READ, query: VisitsQuery, response: { 200: VisitsAnswer } },
    )
    .post('/', async ({ caller, body }) => success({ share: view(await createShare(deps, caller, body)) }), {
      ...docs.createShare,
      access: READ,
      ...takes(CreateBody),
      response: { 200: ShareAnswer },
    })
    .put('/', async ({ caller, body }) => success({ share: view(await changeShare(deps, caller, body)) }), {
      ...docs.changeShare,
      access: READ,
      ...takes(ChangeBody),
      response: { 200: ShareAnswer },
    })
    .delete(
      '/',
      async ({ caller, body }) => {
        await endShare(deps, caller, body.id)
        return success(null)
      },
      { ...docs.endShare, access: READ, ...takes(EndBody), response: { 200: emptyEnvelope } },
    )
}
