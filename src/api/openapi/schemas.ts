import { IsSchema, type TSchema } from 'typebox'
import type { JsonSchema } from './document.ts'

const titleOf = (schema: object) =>
  'title' in schema && typeof schema.title === 'string' ? schema.title : undefined

/**
 * Collects the named schemas in `roots` and below, by their names.
 *
 * @throws when two schemas have one name.
 */
export function namedSchemas(roots: readonly TSchema[]): Record<string, JsonSchema> {
  const found = new Map<string, TSchema>()
  const visit = (schema: unknown): void => {
    if (!IsSchema(schema)) return
    const title = titleOf(schema)
    if (title !== undefined) {
      const known = found.get(title)
      if (known === schema) return
      if (known) throw new Error(`Two schemas are named "${title}"`)
      found.set(title, schema)
    }
    for (const child of childrenOf(schema)) visit(child)
  }
  for (const root of roots) visit(root)
  return Object.fromEntries(found.entries().map(([title, schema]) => [title, rewrite(schema)]))
}

function childrenOf(schema: object): unknown[] {
  const { properties, anyOf, items }: { properties?: unknown; anyOf?: unknown; items?: unknown } = schema
  return [
    ...(isObject(properties) ? Object.values(properties) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    items,
  ]
}

/** Converts a schema for the document: a reference where it has a name. */
export function toJsonSchema(schema: TSchema): JsonSchema {
  const title = titleOf(schema)
  return title === undefined ? rewrite(schema) : { $ref: `#/components/schemas/${title}` }
}

/** Rewrites a schema without its examples, which the document shows where the schema is used. */
function rewrite(schema: TSchema): JsonSchema {
  const { examples: _, ...kept }: JsonSchema = { ...schema }
  const entries = Object.entries(kept).map(([keyword, value]) => [keyword, rewriteKeyword(keyword, value)])
  return withEnum(Object.fromEntries(entries))
}

function rewriteKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, toJsonSchema(property)]))
  }
  if (keyword === 'anyOf' && Array.isArray(value)) return value.map(toJsonSchema)
  return keyword === 'items' && isObject(value) ? toJsonSchema(value) : value
}

/** Converts a choice of constants to an `enum`. */
function withEnum({ anyOf, ...rest }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return rest
  const isChoice = anyOf.every((option: object) => 'const' in option)
  return isChoice
    ? { ...rest, enum: anyOf.map((option: { const?: unknown }) => option.const) }
    : { ...rest, anyOf }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
