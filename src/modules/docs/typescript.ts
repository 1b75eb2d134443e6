import { CALLS } from './calls.ts'
import { literal, TYPESCRIPT_STYLE } from './literal.ts'
import { type Ask, answerOf, FILE, isJson, SIGN_IN, searchOf } from './request.ts'

/** Writes a request as a call of the typed client, or by `fetch`. */
export function typescript(ask: Ask, address: string): string {
  const template = CALLS[ask.operation.operationId]
  return template === undefined ? fetched(ask, address) : called(ask, template, address)
}

/** Returns the imports from Node's modules. */
const imports = ({ opens, saves, by }: Pick<Ask, 'saves' | 'by'> & { opens: boolean }): string[] => [
  ...(opens ? ["import { openAsBlob } from 'node:fs'"] : []),
  ...(saves ? ["import { writeFile } from 'node:fs/promises'"] : []),
  ...(by === 'key' ? ["import { env } from 'node:process'"] : []),
]

const ts = (value: unknown, before = '') => literal(value, TYPESCRIPT_STYLE, before, 20)

/** Writes a call of the typed client. */
function called({ given, url, by, saves, body }: Ask, template: string, address: string): string {
  const [, result, isEach, text = ''] = /^(?:(.+?) (of|=) )?(.+)$/s.exec(template) ?? []
  const used = new Set(text.matchAll(/\$(\w+)/g).map(([, name = '']) => name))
  const rest = Object.entries(given).filter(([name]) => !used.has(name) && name !== 'files')
  const args = text
    .replace(/, \$rest(?=\))/, rest.length === 0 ? '' : '$&')
    .replace(/\$rest/, () => (rest.length === 0 ? '' : ts(Object.fromEntries(rest))))
    .replace(/\$(\w+)/g, (_, name: string) => ts(name === 'url' ? url : given[name]))
  const isAlone = text.startsWith('uploadTo')
  const hasContent = /\bcontent\b/.test(args)
  const key = by === 'key' ? ', key: env.HOLDFAST_KEY' : ''
  const call = isAlone ? args : `client.${args}`
  return [
    ...imports({ opens: hasContent, saves, by: isAlone ? undefined : by }),
    `import { ${isAlone ? 'uploadTo' : 'createClient'} } from 'holdfast-client'\n`,
    ...(isAlone ? [] : [`const client = createClient({ url: ${ts(address)}${key} })`]),
    ...(by === 'session' ? [`await client.auth.signIn(${ts(SIGN_IN)})`] : []),
    ...(hasContent
      ? [`const content = await openAsBlob('${body?.type === 'bytes' ? body.file : FILE}')`]
      : []),
    ...(result === undefined
      ? [`await ${call}`]
      : isEach === 'of'
        ? [`for await (const ${result} of ${call}) console.log(${result})`]
        : [`const ${result} = await ${call}`, shown(result, saves)]),
  ].join('\n')
}

const shown = (result: string, saves: string | undefined) =>
  saves === undefined
    ? `console.log(${result.replace(/^\{ (.*) \}$/, '$1')})`
    : `await writeFile('${saves}', ${result === 'response' ? 'Buffer.from(await response.arrayBuffer())' : result})`

/** Writes a request by `fetch`, for what the client has no call for. */
function fetched({ method, operation, url, query, headers, body, by, saves }: Ask, address: string): string {
  const sent = [
    ...(by === 'key' ? ["'API-Key': env.HOLDFAST_KEY ?? ''"] : []),
    ...(by === 'session' ? ['Cookie: cookie'] : []),
    ...headers.map(([name, value]) => `${TYPESCRIPT_STYLE.name(name)}: ${ts(value)}`),
    ...(body?.type === 'json' ? ["'Content-Type': 'application/json'"] : []),
    ...(body?.type === 'bytes' ? [`'Content-Type': ${ts(body.media)}`] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(sent.length === 0
      ? []
      : [sent.length === 1 ? `headers: { ${sent[0]} }` : `headers: {\n    ${sent.join(',\n    ')},\n  }`]),
    ...(body?.type === 'json' ? [`body: JSON.stringify(${ts(body.value, '  ')})`] : []),
    ...(body?.type === 'bytes' ? [`body: await openAsBlob('${body.file}')`] : []),
    ...(body?.type === 'form' ? ['body: form'] : []),
  ]
  const fields = body?.type === 'form' ? Object.entries(body.fields) : []
  const opens = body !== undefined && body.type !== 'json'
  const imported = imports({ opens, saves, by })
  const content = answerOf(operation)?.content
  return [
    ...imported,
    ...(imported.length > 0 ? [''] : []),
    ...(body?.type === 'form'
      ? [
          'const form = new FormData()',
          ...fields.map(([name, value]) => `form.set(${ts(name)}, ${ts(String(value))})`),
          `form.set('files', await openAsBlob('${FILE}'), '${FILE}')`,
        ]
      : []),
    ...(by === 'session' ? [signedIn(address)] : []),
    options.length === 0
      ? `const response = await fetch(${ts(url + searchOf(query))})`
      : `const response = await fetch(${ts(url + searchOf(query))}, {\n  ${options.join(',\n  ')},\n})`,
    saves
      ? `await writeFile('${saves}', Buffer.from(await response.arrayBuffer()))`
      : isJson(operation)
        ? 'console.log(response.status, await response.json())'
        : content
          ? 'console.log(response.status, await response.text())'
          : 'console.log(response.status, response.headers)',
  ].join('\n')
}

/** Writes a sign-in by `fetch`. Browsers keep the cookie themselves. */
const signedIn = (
  address: string,
) => `const signIn = await fetch(${ts(`${address}/api/auth/sign-in/email`)}, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(${ts(SIGN_IN)}),
})
const cookie = signIn.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')`
