import { colourCode } from '../../api/code.ts'
import { type FrameAssets, framed, neighboursOf } from '../../api/docs-frame.ts'
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
import { ERROR_CODE, ERROR_CODE_LIST, ERROR_CODES } from '../../platform/error-codes.ts'
import { fieldList, fieldsOf, type Schemas } from './fields.ts'
import { JSON_STYLE, literal } from './literal.ts'
import type { Call } from './request.ts'
import { samplesOf } from './samples.ts'

const HOME = '/api/docs'
/** Name of the page with the refusals and codes that operations have in common. */
const ERRORS = 'errors'

interface Area {
  name: string
  description: string
  calls: Call[]
}

/** Entry of the search, as those of the documentation: path, page, heading and text. */
type Entry = [path: string, page: string, heading: string, text: string]

/** Reference of the API: a page for each operation, made on request. */
export class ApiReference {
  readonly #document: Document
  readonly #assets: FrameAssets
  readonly #address: string
  readonly #areas: Area[]
  readonly #calls: Call[]

  /** @param address Address of the instance, without a slash at its end. */
  constructor(document: Document, { assets, address }: { assets: FrameAssets; address: string }) {
    this.#document = document
    this.#assets = assets
    this.#address = address
    const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
    )
    this.#areas = document.tags.map((tag) => ({
      ...tag,
      calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)),
    }))
    this.#calls = this.#areas.flatMap((area) => area.calls)
  }

  /** Returns a page: the start, an operation by its id, or the errors. `undefined` for other names. */
  page(name = ''): string | undefined {
    if (name === '') return this.#framed('API reference', this.#start())
    if (name === ERRORS) return this.#framed('Errors', errorsPage(this.#document), name)
    const call = this.#calls.find(({ operation }) => operation.operationId === name)
    return call && this.#framed(call.operation.summary, this.#operation(call), name)
  }

  /** Returns the entries of the search. */
  entries(): Entry[] {
    const { schemas } = this.#document.components
    return this.#areas.flatMap(({ name, calls }) =>
      calls.map(({ method, path, operation }): Entry => {
        const { operationId, summary, description = '', parameters = [], requestBody } = operation
        const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          fieldsOf(schema, schemas),
        )
        const names = new Set([...parameters, ...bodies].map((field) => field.name))
        const text = [`${method} ${path}`, operationId, description.replaceAll('`', ''), ...names]
        return [pathOf(operationId), `API: ${name}`, summary, text.filter((part) => part !== '').join(' · ')]
      }),
    )
  }

  #framed(title: string, main: Markup, name = ''): string {
    const current = this.#areas.find(({ calls }) =>
      calls.some(({ operation }) => operation.operationId === name),
    )
    const own = [
      ['', 'Introduction'],
      [ERRORS, 'Errors'],
    ] as const
    const top = html`<ul>${own.map(([page, label]) => html`<li>${linkTo(pathOf(page), label, page === name)}</li>`)}</ul>`
    const item = ({ method, operation: { operationId, summary } }: Call) =>
      html`<li>${linkTo(pathOf(operationId), html`${summary}${badge(method)}`, operationId === name)}</li>\n`
    const list = this.#areas.map(
      (area) =>
        html`<details${area === current ? html` open` : ''}><summary>${area.name}</summary><ul>${area.calls.map(item)}</ul></details>`,
    )
    const folded = this.#areas.map((area) =>
      area === current
        ? html`<strong>${area.name}</strong><ul>${area.calls.map(item)}</ul>`
        : html`<a href="${HOME}#${anchor(area.name)}">${area.name}</a>`,
    )
    return framed(
      { title, part: 'api', label: title, list: html`${top}${list}`, folded: html`${top}${folded}`, main },
      this.#assets,
    )
  }

  #start(): Markup {
    const { info, openapi } = this.#document
    const first = this.#calls.find(({ operation }) => operation.operationId === 'listFiles')
    return html`<div class="head">
<h1>API reference</h1>
<p class="quiet">Version ${info.version}. For programs: <a href="/api/openapi.json">openapi.json</a> (OpenAPI ${openapi}).</p>
${prose(info.description)}
<p>Samples read the API key from <code>HOLDFAST_KEY</code>; those for a session sign in first, with curl by the sample of
<a href="${pathOf('signIn')}">signing in</a>. TypeScript has the <a href="/docs/client">typed client</a>. The <a href="/docs/api">guide</a> explains
uploads, shares and conflicts in context.</p>
</div>
${first && this.#samples(first)}
<div class="rest">
${this.#areas.map(
  ({ name, description, calls }) => html`<h2 id="${anchor(name)}">${name}</h2>${prose(description)}
<ul class="operations">${calls.map(
    ({ method, path, operation }) =>
      html`<li><a href="${pathOf(operation.operationId)}">${operation.summary}</a> <span>${badge(method)} <code>${path}</code></span></li>\n`,
  )}</ul>`,
)}
</div>`
  }

  #operation(call: Call): Markup {
    const { method, path, operation } = call
    const { summary, description, parameters = [], requestBody, responses, tags } = operation
    const { components } = this.#document
    const { schemas } = components
    const places = [
      ['path', 'Path'],
      ['query', 'Query'],
      ['header', 'Headers'],
    ] as const
    const all = Object.entries(responses).map(([status, response]): [string, Answer | Reference] => [
      status,
      response,
    ])
    const [area = ''] = tags
    const pages = this.#calls.map(({ operation }) => ({
      path: pathOf(operation.operationId),
      label: operation.summary,
    }))
    return html`<div class="head">
<p class="quiet"><a href="${HOME}#${anchor(area)}">${area}</a></p>
<h1>${summary}</h1>
<div class="call">${badge(method)}<code>${path.split('/').map((part, index) => html`${index > 0 ? html`<wbr>/` : ''}${part}`)}</code></div>
<p class="access">${words(accessOf(operation))}</p>
${description === undefined ? '' : prose(description)}
</div>
${this.#samples(call)}
<div class="rest">
${places.map(([place, title]) => {
  const fields = parameters.filter((parameter) => parameter.in === place)
  return fields.length === 0 ? '' : html`<h2>${title}</h2>${fieldList(fields.map(withDescription), schemas)}`
})}
${requestBody && html`<h2>Body</h2>${Object.entries(requestBody.content).map((media) => mediaOf(media, schemas))}`}
${all.filter(([status]) => Number(status) < 400).map(([status, response]) => success(status, resolveAnswer(response, components.responses), schemas))}
<h2>Errors</h2>
${refusals(all, components.responses)}
${neighboursOf(pages, this.#calls.indexOf(call))}
</div>`
  }

  #samples(call: Call): Markup {
    const samples = samplesOf(call, this.#address)
    const [found] = Object.entries(call.operation.responses)
    const answer = found && !('$ref' in found[1]) ? found[1] : undefined
    const examples = Object.entries(answer?.content ?? {}).flatMap(([type, { example, examples: named }]) =>
      type === 'application/json'
        ? Object.entries(named ?? { '': { value: example } }).map(([name, { value }]) => ({ name, value }))
        : [],
    )
    return html`<div class="aside"><section class="samples" aria-label="Samples">
${samples.map(
  ({ language, label }, index) =>
    html`<input type="radio" name="language" id="in-${language}"${index === 0 ? html` checked` : ''}><label for="in-${language}">${label}</label>`,
)}
${samples.map(({ language, label, code }) => codeBlock(language, code, `${label} sample`))}
</section>
${examples.map(
  ({ name, value }) =>
    html`<p class="caption">Response ${found?.[0]}${name && `: ${name}`}</p>${codeBlock('json', literal(value, JSON_STYLE), 'Example of the response')}`,
)}</div>`
  }
}

const pathOf = (page: string) => (page === '' ? HOME : `${HOME}/${page}`)

const anchor = (name: string) => name.toLowerCase().replaceAll(' ', '-')

const linkTo = (path: string, text: Markup | string, isCurrent: boolean) =>
  html`<a href="${path}"${isCurrent ? html` aria-current="page"` : ''}>${text}</a>`

const badge = (method: string) => html`<b class="method ${method.toLowerCase()}">${method}</b>`

const codeBlock = (language: string, code: string, label: string): Markup => ({
  markup: colourCode(
    html`<div class="code ${language}"><pre tabindex="0" role="group" aria-label="${label}"><code class="language-${language}">${textOf(code)}</code></pre></div>`
      .markup,
  ),
})

const withDescription = ({ name, schema, required, description, example }: Parameter) => ({
  name,
  schema,
  required,
  description,
  example,
})

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

function mediaOf([type, { schema }]: [string, Media], schemas: Schemas): Markup {
  const fields = fieldsOf(schema, schemas)
  return html`<p class="quiet"><code>${type}</code></p>${fields.length > 0 ? fieldList(fields, schemas) : ''}`
}

/** Renders a response, without the envelope of those in JSON. */
function success(status: string, { description, headers, content }: Answer, schemas: Schemas): Markup {
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  const fields = media ? fieldsOf(media.schema, schemas) : []
  const data = fields.find(({ name }) => name === 'data')
  const within = data ? fieldsOf(data.schema, schemas) : fields
  const listed = Object.entries(headers ?? {}).map(([name, { required = false, ...header }]) => ({
    ...header,
    name,
    required: false,
    ...(required && {}),
  }))
  return html`<h2>Response ${status}</h2><p>${words(description)}</p>
${type === undefined ? '' : html`<p class="quiet"><code>${type}</code>${data && within.length > 0 ? html`, in <code>data</code>:` : ''}</p>`}${
  within.length > 0 ? fieldList(within, schemas) : ''
}${listed.length > 0 ? html`<details><summary>${listed.length} ${listed.length === 1 ? 'header' : 'headers'}</summary>${fieldList(listed, schemas)}</details>` : ''}`
}

/** Messages in the description of a refusal. */
const MESSAGE = / ?“(.+?)”(?=$| “)/g

/** Renders the refusals of an operation: those with texts of its own, then the others as links. */
function refusals(all: readonly [string, Answer | Reference][], named: Record<string, Answer>): Markup {
  const failed = all.filter(([status]) => Number(status) >= 400)
  const shared = failed.flatMap(([status, response]) =>
    '$ref' in response ? [{ status, name: response.$ref.split('/').at(-1) ?? '' }] : [],
  )
  const own = failed.flatMap(([status, response]) => ('$ref' in response ? [] : [{ status, response }]))
  return html`<ul class="errors">${own.map(({ status, response }) => {
    const messages = [...response.description.matchAll(MESSAGE)].map(([, message = '']) => message)
    const example = String(response.headers?.[ERROR_CODE]?.example ?? '')
    return html`<li><b>${status}</b><div>${words(response.description.replace(MESSAGE, ''))} <code>${example}</code>${
      messages.length > 0
        ? html`<ul>${messages.map((message) => html`<li>${message}${codeOf(message, example)}</li>`)}</ul>`
        : ''
    }</div></li>`
  })}${shared.map(({ status, name }) => html`<li><b>${status}</b><div><a href="${HOME}/${ERRORS}#${name}">${resolveAnswer({ $ref: name }, named).description}</a></div></li>`)}</ul>`
}

/** Renders the code of a message, where it is not that of its refusal. */
function codeOf(message: string, known: string): Markup | string {
  const code = ERROR_CODE_LIST.find((one) => ERROR_CODES[one][1] === message)
  return code === undefined || code === known ? '' : html` <code>${code}</code>`
}

function errorsPage({ components }: Document): Markup {
  return html`<div class="head">
<h1>Errors</h1>
<p>A failure has the status of its kind, a message for people in <code>error.message</code>, and a code for programs in the header
<code>${ERROR_CODE}</code>. Messages may change; codes stay.</p>
</div>
<div class="aside"><p class="caption">A refused request</p>${codeBlock(
    'json',
    `HTTP/1.1 404 Not Found\n${ERROR_CODE}: file-not-found\n\n${literal({ data: null, error: { message: 'File not found' } }, JSON_STYLE)}`,
    'A refused request',
  )}</div>
<div class="rest">
<h2>Refusals of many operations</h2>
<ul class="errors">${Object.entries(components.responses).map(([name, { description, headers = {} }]) => {
    const { [ERROR_CODE]: told, ...others } = headers
    const code = ERROR_CODE_LIST.find((one) => one === told?.example)
    return html`<li id="${name}"><b>${code && ERROR_CODES[code][0]}</b><div>${description} <code>${code}</code>${Object.entries(
      others,
    ).map(
      ([header, { description: said, example }]) =>
        html`<p class="quiet"><code>${header}: ${String(example)}</code> ${said}</p>`,
    )}</div></li>`
  })}</ul>
<h2 id="codes">Codes</h2>
<div class="table" tabindex="0" role="group" aria-label="Codes"><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${Object.entries(
    ERROR_CODES,
  ).map(
    ([code, [status, meaning]]) =>
      html`<tr><td><code>${code}</code></td><td>${status}</td><td>${words(meaning)}</td></tr>\n`,
  )}</tbody></table></div>
</div>`
}
