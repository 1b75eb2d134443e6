import { fileValidators } from '../../http/file-response.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import type { Asked } from './context.ts'
import { findResource, namesOf } from './resource.ts'

/** Condition of a list: a token of a lock, or an entity tag (RFC 4918 §10.4). */
interface Condition {
  isNegated: boolean
  token?: string | undefined
  etag?: string | undefined
}

/** Conditions that must hold together, about one resource: that of the request, or a tagged one. */
interface List {
  resource: string | undefined
  conditions: Condition[]
}

const TAG = /[ \t]*<([^>]*)>/y
const LIST = /[ \t]*\(([^()]*)\)/y
const CONDITION = /[ \t]*(not[ \t]+)?(?:<([^>]*)>|\[((?:W\/)?"[^"]*")\])[ \t]*/iy

/** Parses the header `If`. @throws {Refusal} `invalid`. */
export function parseIf(header: string): List[] {
  const lists: List[] = []
  let resource: string | undefined
  let at = 0
  const take = (pattern: RegExp, text: string, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(text)
  }
  while (header.slice(at).trim() !== '') {
    const list = take(LIST, header, at)
    const found = list ?? take(TAG, header, at)
    if (!found) throw refuseInvalid('"If" is not well-formed')
    at += found[0].length
    if (list) lists.push({ resource, conditions: parseConditions(list[1] ?? '') })
    else resource = found[1]
  }
  if (lists.length === 0) throw refuseInvalid('"If" has no conditions')
  return lists
}

function parseConditions(text: string): Condition[] {
  const conditions: Condition[] = []
  for (let at = 0; at < text.length; at = CONDITION.lastIndex) {
    CONDITION.lastIndex = at
    const [, negation, token, etag] = CONDITION.exec(text) ?? []
    if (token === undefined && etag === undefined) throw refuseInvalid('"If" is not well-formed')
    conditions.push({ isNegated: negation !== undefined, token, etag })
  }
  if (conditions.length === 0) throw refuseInvalid('"If" has no conditions')
  return conditions
}

/**
 * Evaluates the header `If` of a request. Returns the tokens in it.
 *
 * @throws {Refusal} `invalid`, `precondition-failed`.
 */
export async function evaluateIf(asked: Omit<Asked, 'tokens'>): Promise<ReadonlySet<string>> {
  const header = asked.request.headers.get('if')
  if (header === null) return new Set()
  const lists = parseIf(header)
  const states = new Map<string | undefined, State>()
  for (const { resource } of lists)
    if (!states.has(resource)) states.set(resource, await stateOf(asked, resource))
  const holds = ({ resource, conditions }: List) =>
    conditions.every(({ isNegated, token, etag }) => {
      const state = states.get(resource)
      const isSo = token === undefined ? etag === state?.etag : state?.tokens.has(token)
      return isSo !== isNegated
    })
  if (!lists.some(holds)) throw new Refusal('precondition-failed', 'No list of "If" holds')
  return new Set(lists.flatMap(({ conditions }) => conditions.flatMap(({ token }) => token ?? [])))
}

interface State {
  etag: string | undefined
  tokens: ReadonlySet<string>
}

async function stateOf(asked: Omit<Asked, 'tokens'>, resource: string | undefined): Promise<State> {
  const { deps, locks, request } = asked
  if (resource !== undefined && !URL.canParse(resource, request.url))
    throw refuseInvalid('"If" is not well-formed')
  const names = resource === undefined ? asked.names : namesOf(new URL(resource, request.url).pathname)
  const found = await deps.store.read(() => findResource(deps, names))
  const file = found?.kind === 'file' ? deps.store.stateOf({ ...found.row, key: found.key }) : undefined
  return {
    etag: file && fileValidators({ ...file, now: deps.clock.now() }).etag,
    tokens: new Set(locks.covering(names.join('/')).map(({ token }) => token)),
  }
}
