import { createHash } from 'node:crypto'
import { MAIN_FONT } from '../../api/assets.ts'
import { html, type Markup, prose, textOf, words } from '../../api/html.ts'
import {
  type Answer,
  type Document,
  type JsonSchema,
  type Media,
  type Operation,
  type Parameter,
  type Reference,
  resolveAnswer,
} from '../../api/openapi/document.ts'

/** Style sheet of the page, in light and dark: the frame of the documentation, without its scripts. */
const STYLE = `
@font-face { font-family: Figtree; font-weight: 400 600; font-display: swap; src: url("${MAIN_FONT}") format("woff2") }
:root {
  color-scheme: light dark;
  --text: light-dark(#1c2422, #e7ebe7);
  --quiet: light-dark(#57615e, #9ca8a4);
  --line: light-dark(#e2dfd5, #2b3435);
  --page: light-dark(#fffefb, #14191a);
  --panel: light-dark(#f7f6f2, #1b2122);
  --link: light-dark(#0d5c54, #6cc9b4);
}
* { box-sizing: border-box }
html { scroll-padding-top: 4.5rem }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 Figtree, system-ui, sans-serif;
  display: grid; grid-template-columns: 17rem minmax(0, 1fr); grid-template-rows: 3.5rem auto }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 1; display: flex; gap: 1.25rem; align-items: center; padding: 0 1.5rem;
  background: var(--panel); border-bottom: 1px solid var(--line); font-size: .9375rem; white-space: nowrap }
header a { color: var(--quiet); text-decoration: none } header a:hover { color: var(--text) }
.brand { display: flex; gap: .625rem; align-items: center; margin-right: auto; color: var(--text); font-size: 1.0625rem; font-weight: 600 }
.brand img { border-radius: 7px } .brand span { color: var(--quiet); font-weight: 400 }
main { grid-area: 2 / 2 }
nav { grid-area: 2 / 1; position: sticky; top: 3.5rem; height: calc(100vh - 3.5rem); overflow-y: auto; padding: 1.25rem .75rem 2rem;
  background: var(--panel); border-right: 1px solid var(--line); font-size: .875rem; line-height: 1.4 }
nav ul { list-style: none; margin: .25rem 0 1.25rem; padding: 0 }
nav a { display: block; padding: .25rem .75rem; color: var(--quiet); text-decoration: none } nav a:hover { color: var(--text) }
nav strong a { color: var(--text); font-weight: 600; font-size: .8125rem }
main { max-width: 54rem; padding: 2.25rem 2.5rem 5rem; overflow-wrap: anywhere }
h1, h2, h3, h4, b, strong { font-weight: 600 }
h1 { margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2 } h2 { margin: 3.5rem 0 .5rem; font-size: 1.3rem }
h3 { margin: 2.5rem 0 .25rem; font-size: 1.05rem } h4 { margin: 1rem 0 .25rem; font-size: .875rem; color: var(--quiet) }
main > section { border-top: 1px solid var(--line); margin-top: 2.5rem } section h3 { margin-top: 1.75rem }
a { color: var(--link) } a:hover { text-decoration: underline }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
p { margin: .5rem 0 }
code, pre { font: .84375rem/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
pre { tab-size: 2; margin: .25rem 0; padding: .9rem 1rem; white-space: pre-wrap; background: var(--panel); border: 1px solid var(--line); border-radius: 8px }
pre i { color: var(--quiet); font-style: normal }
.call { display: flex; gap: .75rem; align-items: baseline }
.call b { padding: .1rem .5rem; border-radius: 6px; background: light-dark(#e0ece7, #1b3330); color: var(--link); font: 600 .75rem/1.5 ui-monospace, monospace }
.quiet { color: var(--quiet); font-size: .875rem }
dl { margin: .25rem 0; display: grid; grid-template-columns: minmax(8rem, auto) minmax(0, 1fr); gap: .25rem 1rem; font-size: .9375rem }
dd { margin: 0 }
details { border-top: 1px solid var(--line); padding: .45rem 0; font-size: .9375rem } summary { cursor: pointer }
.all > p { border-top: 1px solid var(--line); margin: 0; padding: .45rem 0 .45rem 1rem; font-size: .9375rem }
details > *:not(summary) { margin-left: 1rem }
.to-contents:not(:focus) { position: absolute; clip-path: inset(50%) }
@media (max-width: 50rem) { body { display: block } header { height: 3.5rem; gap: 1rem; padding: 0 1rem } .brand span { display: none }
  header a:not(.brand) { padding: .6rem 0; font-size: .875rem } nav { position: static; height: auto; border: 0; scroll-margin-top: 3.5rem } main { padding: 1.5rem 1rem }
  nav a { padding: .6rem .75rem } .to-contents.to-contents { position: static; clip-path: none } }
`

/**
 * Content security policy of the page: its own style, known by its hash, and the icon and the font of this server; it
 * has no script.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Call {
  method: string
  path: string
  operation: Operation
}

/** Renders the document as a page: HTML without scripts, in the frame of the documentation. */
export function toPage(document: Document): string {
  const { info, tags, components } = document
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<header>
<a class="brand" href="/docs"><img src="/favicon.ico" width="28" height="28" alt="">${info.title} <span>API reference</span></a>
<a class="to-contents" href="#contents">Contents</a><a href="/docs">Docs</a><a href="/">Dashboard</a>
</header>
<main>
<h1>${info.title} API</h1>
<p class="quiet">Version ${info.version}. For programs: <a href="openapi.json">openapi.json</a> (OpenAPI ${document.openapi}). Bodies are
<code>application/json</code> unless another type is named.</p>
${prose(info.description)}
${groups.map(({ name, description, calls }) => html`<h2 id="${anchor(name)}">${name}</h2>${prose(description)}${calls.map((call) => section(call, components.responses))}`)}
<h2 id="refusals">Refusals</h2>
<p>Responses that many requests have in common.</p>
${Object.entries(components.responses).map(([name, shared]) => html`<h3 id="refusal-${name}">${name}</h3>${body(shared)}`)}
<h2 id="types">Types</h2>
${Object.entries(components.schemas).map(([name, schema]) => html`<h3 id="${name}">${name}</h3><pre>${typeOf(schema)}</pre>`)}
</main>
<nav id="contents" aria-label="Contents">${groups.map(
    ({ name, calls }) => html`<strong><a href="#${anchor(name)}">${name}</a></strong>
<ul>${calls.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}</ul>`,
  )}
<strong><a href="#refusals">Refusals</a></strong>
<strong><a href="#types">Types</a></strong></nav>
</body>
</html>
`
  return markup
}

const anchor = (name: string) => name.toLowerCase().replaceAll(' ', '-')

function section({ method, path, operation }: Call, named: Record<string, Answer>): Markup {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  return html`<section>
<h3 id="${operationId}">${summary}</h3>
<div class="call"><b>${method}</b><code>${path}</code></div>
<p class="quiet">${words(accessOf(operation))}</p>
${description === undefined ? undefined : prose(description)}
${parameters && html`<h4>Parameters</h4><dl>${parameters.map(parameter)}</dl>`}
${requestBody && html`<h4>Body</h4>${Object.entries(requestBody.content).map(media)}`}
<h4>Responses</h4>
<div class="all">${Object.entries(responses).map(([status, response]) => answer(status, response, named))}</div>
</section>`
}

function accessOf({ security }: Operation): string {
  const schemes = security.flatMap((requirement) => Object.keys(requirement))
  const scopes = [...new Set(security.flatMap((requirement) => Object.values(requirement).flat()))]
  if (schemes.length === 0) return 'For anyone.'
  const by = schemes.includes('apiKey') ? 'an API key or a session' : 'a session'
  const callers = security.some((requirement) => Object.keys(requirement).length === 0)
    ? `For anyone, more with ${by}`
    : `For ${by}`
  if (scopes.length === 0) return `${callers}.`
  const named = scopes.map((scope) => `\`${scope}\``).join(' and ')
  return `${callers} with the scope${scopes.length > 1 ? 's' : ''} ${named}.`
}

const parameter = ({ name, in: place, required, description, schema, example }: Parameter): Markup =>
  html`<dt><code>${name}</code></dt><dd>${words(description)} <span class="quiet">${place}${required ? ', required' : ''}, ${typeOf(schema)}${
    example === undefined ? undefined : html`, such as <code>${String(example)}</code>`
  }</span></dd>`

const media = ([type, { schema, example, examples }]: [string, Media]): Markup =>
  html`${type === 'application/json' ? undefined : html`<p><code>${type}</code></p>`}<pre>${typeOf(schema)}</pre>${Object.entries(
    examples ?? { '': { value: example } },
  ).map(
    ([name, { value }]) =>
      html`<h4>Example${name === '' ? '' : `: ${name}`}</h4><pre>${textOf(exampleText(value))}</pre>`,
  )}`

const exampleText = (value: unknown) =>
  typeof value === 'string' ? value : JSON.stringify(value, null, '\t')

/** Renders a response. One that many requests have in common refers to where it stands once. */
function answer(status: string, response: Answer | Reference, named: Record<string, Answer>): Markup {
  const { description } = resolveAnswer(response, named)
  if ('$ref' in response)
    return html`<p><b>${status}</b> <a href="#refusal-${response.$ref.split('/').at(-1) ?? ''}">${description}</a></p>`
  return html`<details><summary><b>${status}</b> ${words(description)}</summary>
${body(response)}</details>`
}

const body = ({ headers, content }: Answer): Markup =>
  html`${headers && html`<dl>${Object.entries(headers).map(([name, header]) => html`<dt><code>${name}</code></dt><dd>${header.description} <code>${String(header.example)}</code></dd>`)}</dl>`}
${Object.entries(content ?? {}).map(media)}`

const REFERENCE = '#/components/schemas/'

/** Renders a schema as a readable type, with links to named ones. */
function typeOf(schema: JsonSchema, indent = ''): Markup {
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
