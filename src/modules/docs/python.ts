import type { Operation } from '../../api/openapi/document.ts'
import { literal, PYTHON_STYLE } from './literal.ts'
import { type Ask, answerOf, FILE, isJson, isStreamed, SIGN_IN } from './request.ts'

/** Writes a request for Python's requests. */
export function python(
  { method, url, query, headers, body, by, saves, operation }: Ask,
  address: string,
): string {
  const text = (value: unknown) => literal(value, PYTHON_STYLE, '    ', 12)
  const sent = [
    ...(by === 'key' ? [['"API-Key"', 'os.environ["HOLDFAST_KEY"]']] : []),
    ...headers.map(([name, value]) => [text(name), text(value)]),
    ...(body?.type === 'bytes' ? [['"Content-Type"', text(body.media)]] : []),
  ].map(([name, value]) => `${name}: ${value}`)
  const inLine = `{${sent.join(', ')}}`
  const all = inLine.length < 60 ? inLine : `{\n        ${sent.join(',\n        ')},\n    }`
  const isStream = isStreamed(operation)
  const lines = [
    text(url),
    ...(query.length > 0 ? [`params=${text(Object.fromEntries(query))}`] : []),
    ...(sent.length > 0 ? [`headers=${all}`] : []),
    ...(body?.type === 'json' ? [`json=${text(body.value)}`] : []),
    ...(body?.type === 'bytes' ? [`data=open(${text(body.file)}, "rb")`] : []),
    ...(body?.type === 'form' && Object.keys(body.fields).length > 0 ? [`data=${text(body.fields)}`] : []),
    ...(body?.type === 'form' ? [`files={"files": open(${text(FILE)}, "rb")}`] : []),
    ...(isStream ? ['stream=True'] : []),
  ]
  const start = by === 'session' ? 'session' : 'requests'
  const call = `response = ${start}.${method.toLowerCase()}(`
  const signIn = `session = requests.Session()\nsession.post(\n    ${text(`${address}/api/auth/sign-in/email`)},\n    json=${text(SIGN_IN)},\n)\n`
  return [
    `${by === 'key' ? 'import os\n\n' : ''}import requests\n`,
    ...(by === 'session' ? [signIn] : []),
    lines.length === 1 ? `${call}${lines[0]})` : `${call}\n    ${lines.join(',\n    ')},\n)`,
    'response.raise_for_status()',
    ...pythonResult(operation, saves),
  ].join('\n')
}

function pythonResult(operation: Operation, saves: string | undefined): string[] {
  if (isStreamed(operation)) return ['for line in response.iter_lines():', '    print(line.decode())']
  if (saves) return [`with open("${saves}", "wb") as file:`, '    file.write(response.content)']
  const content = answerOf(operation)?.content
  if (isJson(operation)) {
    const hasEnvelope = content?.['application/json']?.schema['properties'] !== undefined
    return [`print(response.json()${hasEnvelope ? '["data"]' : ''})`]
  }
  return content ? ['print(response.text)'] : ['print(response.headers)']
}
