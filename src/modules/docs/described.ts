import type { Answer, Parameter, RequestBody, SecurityRequirement } from './document.ts'

/**
 * What a route cannot tell by itself. Its path, access, parameters, bodies and JSON answers are the route's own,
 * and so is what follows from them: 400, 401, 403, 413, 429, 500, 503 and 507.
 */
export interface Described {
  /** The name that generated clients give it. */
  id: string
  /** A line, without a full stop. */
  summary: string
  description?: string
  /** Instead of the route's own, where it judges its callers by itself. */
  security?: SecurityRequirement[]
  /** Parameters beside those of the query's schema. */
  parameters?: Parameter[]
  /** An example of the JSON body. */
  body?: unknown
  /** The JSON body may be sent as a form, too. */
  takesForm?: true
  /** A body that the route reads as a stream. */
  stream?: RequestBody
  /** What the JSON answer is, and examples of it by what they show. */
  returns?: { description: string; headers?: Answer['headers']; examples: Record<string, unknown> }
  /** Successes that are not JSON. */
  responses?: Record<number, Answer>
  /** The messages that a refusal may say, by its status: the first is the example. */
  refusals?: Record<string, string[]>
}

/** Routes of one kind, by method and path as the app names them. */
export interface Group {
  tag: string
  description: string
  operations: Record<string, Described>
}
