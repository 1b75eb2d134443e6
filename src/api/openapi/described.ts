import type { RouteFacts } from '../route-facts.ts'
import type { Answer, Parameter, RequestBody, SecurityRequirement } from './document.ts'
import type { Tag } from './tags.ts'

/**
 * Documentation that a route cannot derive. Its path, access, parameters, bodies and JSON responses are the
 * route's own, and so is what follows from them: 400, 401, 403, 413, 415, 429, 500, 503 and 507.
 */
export interface Described {
  /** Name in generated clients. */
  id: string
  /** Summary in a line, without a full stop. */
  summary: string
  description?: string
  /** Security requirements, for a route that authorizes its callers itself. */
  security?: SecurityRequirement[]
  /** Parameters beside those of the query's schema. */
  parameters?: Parameter[]
  /** Example of the JSON body, if not that of its schema. */
  example?: unknown
  /** True if the JSON body may be sent as a form, too. */
  takesForm?: true
  /** Body that the route reads as a stream. */
  stream?: RequestBody
  /** Description of the JSON response. Its example is that of its schema. */
  returns?: string | Returns
  /** Responses that are not the JSON envelope. They win over those that follow from the route. */
  responses?: Record<number, Answer>
  /** Messages of refusals by status; the first is the example. */
  refusals?: Record<string, string[]>
  /** Statuses of refusals that clients which accept `text/html` see as a page. */
  pages?: number[]
}

interface Returns {
  description: string
  headers?: Answer['headers']
  /** Parts of the data in which the example differs from that of the schema. */
  data?: unknown
  /** Several examples by their names. */
  examples?: Record<string, unknown>
}

/** Documentation and facts of one route. The framework keeps them with the options of the route. */
export interface Documented {
  described: Described & { tag: Tag }
  facts: RouteFacts
}

/** Returns route options that document a route and state its facts. */
export const documented = (tag: Tag, described: Described, facts: RouteFacts = {}): Documented => ({
  described: { tag, ...described },
  facts,
})
