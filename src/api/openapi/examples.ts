import type { TSchema } from 'typebox'
import type { JsonSchema } from './document.ts'
import { EXAMPLE_ID, FIELDS, OTHER_ID } from './samples.ts'

/**
 * Returns an example of a schema: its own, or one of its required parts.
 *
 * @param changes Parts that differ; a list replaces the whole list.
 * @throws when a text has neither an example of its own nor a field with a sample.
 */
export const exampleOf = (schema: TSchema, changes?: unknown): unknown =>
  changed(exampleIn({ ...schema }, ''), changes)

function exampleIn(
  { examples, anyOf, items, properties, required, ...schema }: JsonSchema,
  field: string,
): unknown {
  if (Array.isArray(examples)) return examples[0]
  if (Array.isArray(anyOf))
    return exampleIn(
      anyOf.find(({ type }: JsonSchema) => type !== 'null'),
      field,
    )
  if ('const' in schema) return schema['const']
  if (isObject(items)) return /[iI]ds$/.test(field) ? [EXAMPLE_ID, OTHER_ID] : [exampleIn(items, field)]
  if (isObject(properties) && Array.isArray(required))
    return Object.fromEntries(
      required.map((name: string) => [name, exampleIn({ ...properties[name] }, name)]),
    )
  return primitive(schema, field)
}

function primitive({ type }: JsonSchema, field: string): unknown {
  if (type === 'null') return null
  if (type === 'boolean') return true
  const sample = /(^id|Id)$/.test(field) ? EXAMPLE_ID : FIELDS[field]
  if (type === 'integer') return typeof sample === 'number' ? sample : 1
  if (typeof sample !== 'string') throw new Error(`The field "${field}" of a schema has no example`)
  return sample
}

function changed(value: unknown, changes: unknown): unknown {
  if (changes === undefined) return value
  if (!isObject(value) || !isObject(changes)) return changes
  const entries = Object.entries(changes).map(([name, change]) => [name, changed(value[name], change)])
  return { ...value, ...Object.fromEntries(entries) }
}

const isObject = (value: unknown): value is Record<string, JsonSchema> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
