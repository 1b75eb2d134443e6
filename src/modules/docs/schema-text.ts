import { html, type Markup } from '../../api/html.ts'
import type { JsonSchema } from '../../api/openapi/document.ts'

const REFERENCE = '#/components/schemas/'

/** Renders a schema as a readable type, with links to named ones. */
export function typeOf(schema: JsonSchema, indent = ''): Markup {
  const { $ref, enum: choices, anyOf, items, properties } = schema
  if (typeof $ref === 'string') {
    const name = $ref.slice(REFERENCE.length)
    return html`<a href="#${name}">${name}</a>`
  }
  if ('const' in schema) return html`${JSON.stringify(schema['const'])}`
  if (Array.isArray(choices)) return html`${choices.map((choice) => JSON.stringify(choice)).join(' | ')}`
  if (Array.isArray(anyOf)) return joined(anyOf.map((option: JsonSchema) => typeOf(option, indent)))
  if (isSchema(items)) return html`array of ${typeOf(items, indent)}`
  if (isSchema(properties)) return objectOf(schema, properties, indent)
  return html`${typeof schema['type'] === 'string' ? schema['type'] : 'bytes'}${limitsOf(schema)}`
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null

const joined = (types: Markup[]) =>
  html`${types.map((type, index) => (index === 0 ? type : html` | ${type}`))}`

function objectOf({ required }: JsonSchema, properties: JsonSchema, indent: string): Markup {
  const inner = `${indent}\t`
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  const lines = Object.entries(properties).flatMap(([name, property]) => {
    if (!isSchema(property)) return []
    const { description } = property
    const note =
      typeof description === 'string' ? html`  <i>${description.replaceAll('`', '')}</i>` : undefined
    return [html`${inner}${name}${isRequired(name) ? '' : '?'}: ${typeOf(property, inner)}${note}\n`]
  })
  return html`{\n${lines}${indent}}`
}

const LIMITS: Record<string, string> = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'characters, at least',
  maxLength: 'characters, at most',
}

function limitsOf(schema: JsonSchema): string {
  const limits = Object.entries(LIMITS).flatMap(([keyword, says]) =>
    typeof schema[keyword] === 'number' && schema[keyword] < Number.MAX_SAFE_INTEGER
      ? [`${says} ${schema[keyword]}`]
      : [],
  )
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`
}
