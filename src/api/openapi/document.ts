import type { TSchema } from 'typebox'

/** Part of OpenAPI 3.1 that our document uses (https://spec.openapis.org/oas/v3.1.1), in its terms. */
export interface Document {
  openapi: '3.1.1'
  info: { title: string; version: string; summary: string; description: string; license: License }
  servers: { url: string; description: string }[]
  tags: Tag[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, Answer>
    securitySchemes: Record<string, SecurityScheme>
  }
}

interface License {
  name: string
  identifier: string
}

interface Tag {
  name: string
  description: string
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  /** Security requirements, any one of which suffices. */
  security: SecurityRequirement[]
  parameters?: Parameter[]
  requestBody?: RequestBody
  responses: Record<string, Answer | Reference>
}

/** Names of schemes that are needed together, each with its required scopes. */
export type SecurityRequirement = Record<string, string[]>

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
  example?: unknown
}

export interface RequestBody {
  required?: boolean
  content: Record<string, Media>
}

/** Response Object of OpenAPI. */
export interface Answer {
  description: string
  headers?: Record<string, Header>
  content?: Record<string, Media>
}

export interface Header {
  description: string
  /** True for a header of every such response. */
  required?: boolean
  schema: JsonSchema
  example?: unknown
}

export interface Media {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface Reference {
  $ref: string
}

interface SecurityScheme {
  type: 'apiKey'
  in: 'cookie' | 'header'
  name: string
  description: string
}

/** Schema of ours, or one rewritten to refer to others. */
export type JsonSchema = TSchema & { readonly [keyword: string]: unknown }

/** Returns the response itself, or the one of `named` that it refers to. */
export function resolveAnswer(response: Answer | Reference, named: Record<string, Answer>): Answer {
  if (!('$ref' in response)) return response
  const found = named[response.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`The document has no ${response.$ref}`)
  return found
}
