import type { TSchema } from 'typebox'
import { takes, takesForm } from '../api/body.ts'
import { type Described, type Documented, documented } from '../api/openapi/described.ts'
import type { Tag } from '../api/openapi/tags.ts'
import type { RouteFacts } from '../api/route-facts.ts'
import type { Bridge } from '../api/schema.ts'
import { type Access, openToAll } from './plugin.ts'

type Schema = Bridge<TSchema>

/** Schemas, documentation and facts of a route. */
interface Route<Body, Query, Answer> extends Described {
  /** Schema of the JSON body. */
  takes?: Body
  query?: Query
  /** Schema of the JSON response. */
  answer?: Answer
  facts?: RouteFacts
}

type Given<Name extends string, Value> = [Value] extends [never] ? unknown : Record<Name, Value>
type Options<Body, Query, Answer> = Documented &
  Given<'body', Body> &
  Given<'query', Query> &
  Given<'response', [Answer] extends [never] ? never : { 200: Answer }>

/**
 * Builds the options of a route for authorized callers: all that it says about itself but its path and its work. The
 * framework changes what it is given, so each table of routes passes a copy.
 */
export function route<
  Body extends Schema = never,
  Query extends Schema = never,
  Answer extends Schema = never,
>(
  tag: Tag,
  access: Access,
  route: Route<Body, Query, Answer>,
): Options<Body, Query, Answer> & { access: Access }
export function route(tag: Tag, access: Access, route: Route<Schema, Schema, Schema>) {
  return Object.freeze({ ...optionsOf(tag, route), access })
}

/** Builds the options of a route that is open to all, or that authorizes its callers itself, as `route` does. */
export function openRoute<
  Body extends Schema = never,
  Query extends Schema = never,
  Answer extends Schema = never,
>(tag: Tag, route: Route<Body, Query, Answer>): Options<Body, Query, Answer> & ReturnType<typeof openToAll>
export function openRoute(tag: Tag, route: Route<Schema, Schema, Schema>) {
  return Object.freeze(openToAll(optionsOf(tag, route)))
}

const optionsOf = (
  tag: Tag,
  { takes: body, query, answer, facts, ...described }: Route<Schema, Schema, Schema>,
) => ({
  ...documented(tag, described, facts),
  ...(body && (described.takesForm ? takesForm(body) : takes(body))),
  // The handler reads the body as a stream.
  ...(described.stream && { parse: 'none' }),
  ...(query && { query }),
  ...(answer && { response: { 200: answer } }),
})
