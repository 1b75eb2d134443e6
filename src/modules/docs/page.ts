import { createHash } from 'node:crypto'
import { html, type Markup, prose, textOf, words } from '../../api/html.ts'
import {
  type Answer,
  type Document,
  type Media,
  type Operation,
  type Parameter,
  type Reference,
  resolveAnswer,
} from '../../api/openapi/document.ts'
import { typeOf } from './schema-text.ts'
import { STYLE } from './style.ts'

/**
 * Content security policy of the page: its own style, known by its hash, and the icon that a browser requests; it has
 * no script.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Call {
  method: string
  path: string
  operation: Operation
}

/** Renders the document as a page: one piece of HTML without scripts, images or fonts. */
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
<main>
<h1>${info.title} API</h1>
<p class="to-contents"><a href="#contents">Contents</a></p>
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
