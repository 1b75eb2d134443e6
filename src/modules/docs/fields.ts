import { html, type Markup, words } from '../../api/html.ts'
import type { JsonSchema } from '../../api/openapi/document.ts'

/** Schemas of the document by their names. */
export type Schemas = Record<string, JsonSchema>

const REFERENCE = '#/components/schemas/'
/** Levels of fields below which the others are folded. */
const OPEN_LEVELS = 2

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

/** Field of an object, or a parameter. */
export interface Field {
  name: string
  schema: JsonSchema
  required: boolean
  description?: string
  example?: unknown
}

/** Renders fields as a list: type, limits and meaning of each, with the fields of objects below it. */
export const fieldList = (
  fields: readonly Field[],
  schemas: Schemas,
  above: readonly string[] = [],
): Markup => html`<ul class="fields">${fields.map((field) => fieldItem(field, schemas, above))}</ul>`

/** Returns the fields of a schema: those of an object, or of the items of a list. None of other types. */
export function fieldsOf(schema: JsonSchema, schemas: Schemas): Field[] {
  const { properties, required, items } = resolved(schema, schemas)
  if (isSchema(items)) return fieldsOf(items, schemas)
  if (!isSchema(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) =>
    isSchema(property)
      ? [{ name, schema: property, required: Array.isArray(required) && required.includes(name) }]
      : [],
  )
}

function fieldItem(
  { name, schema, required, description, example }: Field,
  schemas: Schemas,
  above: readonly string[],
): Markup {
  const known = typeof schema['$ref'] === 'string' ? schema['$ref'] : name
  const said = description ?? descriptionIn(schema, schemas)
  const limits = limitsOf(schema, schemas)
  return html`<li><div><code>${name}</code> <span>${typeOf(schema, schemas)}</span>${required ? html` <b>required</b>` : ''}</div>
${said && html`<p>${words(said.replace(/([^.!?])$/, '$1.'))}</p>`}${limits.length > 0 ? html`<p class="limits">${join(limits)}</p>` : ''}${
  example === undefined ? '' : html`<p class="limits">Example: <code>${String(example)}</code></p>`
}${above.includes(known) ? '' : below(schema, schemas, [...above, known])}</li>`
}

/** Renders the fields below a field, folded where they are deep. */
function below(schema: JsonSchema, schemas: Schemas, above: readonly string[]): Markup[] {
  const variants = optionsOf(schema, schemas)
    .map((option) => fieldsOf(option, schemas))
    .filter((fields) => fields.length > 0)
  return variants.map(
    (fields, index) =>
      html`<details${above.length < OPEN_LEVELS ? html` open` : ''}><summary>${index > 0 ? 'or ' : ''}${fields.length} ${
        fields.length === 1 ? 'field' : 'fields'
      }</summary>${fieldList(fields, schemas, above)}</details>`,
  )
}

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const { $ref } = schema
  return typeof $ref === 'string' ? (schemas[$ref.slice(REFERENCE.length)] ?? schema) : schema
}

/** Returns the types that a value may have, without `null`. */
function optionsOf(schema: JsonSchema, schemas: Schemas): JsonSchema[] {
  const { items, ...found } = resolved(schema, schemas)
  if (isSchema(items)) return optionsOf(items, schemas)
  return Array.isArray(found['anyOf'])
    ? found['anyOf'].flatMap((option: JsonSchema) =>
        option['type'] === 'null' ? [] : optionsOf(option, schemas),
      )
    : [found]
}

const descriptionIn = (schema: JsonSchema, schemas: Schemas): string | undefined =>
  [schema, ...optionsOf(schema, schemas)]
    .map(({ description }) => description)
    .find((text) => typeof text === 'string')

/** Returns a type in words: `string or null`, `array of File`. */
function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const { $ref, anyOf, items, type, enum: choices } = schema
  if (typeof $ref === 'string')
    return isSchema(resolved(schema, schemas)['properties'])
      ? $ref.slice(REFERENCE.length)
      : typeOf(resolved(schema, schemas), schemas)
  if (Array.isArray(anyOf))
    return [...new Set(anyOf.map((option: JsonSchema) => typeOf(option, schemas)))].join(' or ')
  if (isSchema(items)) return `array of ${typeOf(items, schemas)}`
  if (Array.isArray(choices)) return typeof choices[0]
  if ('const' in schema) return typeof schema['const']
  if ('contentMediaType' in schema) return 'file'
  return typeof type === 'string' ? type : 'any'
}

/** Words for limits, by their keywords: before the number, and after it. */
const LIMITS: Record<string, readonly [before: string, after: string]> = {
  minimum: ['at least', ''],
  maximum: ['at most', ''],
  minLength: ['at least', ' characters'],
  maxLength: ['at most', ' characters'],
  minItems: ['at least', ' items'],
  maxItems: ['at most', ' items'],
}

/** Returns the limits of a value in words. */
function limitsOf(schema: JsonSchema, schemas: Schemas): Markup[] {
  const list = resolved(schema, schemas)
  const parts = isSchema(list['items']) ? [list, ...optionsOf(schema, schemas)] : optionsOf(schema, schemas)
  return parts.flatMap((part) => {
    const { enum: choices, pattern } = part
    const values = Array.isArray(choices) ? choices : 'const' in part ? [part['const']] : []
    const numbers = Object.entries(LIMITS).flatMap(([keyword, [before, after]]) => {
      const limit = part[keyword]
      return typeof limit === 'number' && limit < Number.MAX_SAFE_INTEGER
        ? [html`${before} ${limit}${limit === 1 ? after.replace(/s$/, '') : after}`]
        : []
    })
    return [
      ...(values.length > 0
        ? [
            html`${values.length > 1 ? 'one of ' : 'always '}${values.map((value) => html`<code>${JSON.stringify(value)}</code> `)}`,
          ]
        : []),
      ...numbers,
      ...(typeof pattern === 'string' && !('description' in part)
        ? [html`matches <code>${pattern}</code>`]
        : []),
    ]
  })
}

const join = (parts: readonly Markup[]): Markup[] =>
  parts.map((part, index) => (index === 0 ? part : html`, ${part}`))
