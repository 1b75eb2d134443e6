import { JSON_STYLE, literal } from './literal.ts'
import { type Ask, answerOf, type Body, FILE, isStreamed, searchOf } from './request.ts'

/** Quotes an argument for a shell, where it needs that. */
const quoted = (text: string) =>
  /^[\w./:@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Writes a request as a command of curl. Signing in stores the session in a file, which other commands send. */
export function curl({ method, operation, url, query, headers, body, by, saves }: Ask): string {
  const implied = body && body.type !== 'bytes' ? 'POST' : 'GET'
  const answer = answerOf(operation)
  const setsCookie = answer?.headers?.['Set-Cookie'] !== undefined && method === 'POST'
  return [
    [
      'curl',
      ...(method === implied ? [] : [`-X ${method}`]),
      ...(isStreamed(operation) ? ['-N'] : []),
      // Without a body, the headers are what the response says.
      ...(answer?.content === undefined && answer?.headers ? ['-i'] : []),
      quoted(url + searchOf(query)),
    ].join(' '),
    ...(by === 'key' ? ['-H "API-Key: $HOLDFAST_KEY"'] : []),
    ...(by === 'session' ? ['-b session.txt'] : []),
    ...(setsCookie ? ['-c session.txt'] : []),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...curlBody(body),
    ...(saves ? [`-o ${saves}`] : []),
  ].join(' \\\n  ')
}

function curlBody(body: Body | undefined): string[] {
  if (body?.type === 'json') return [`--json ${quoted(literal(body.value, JSON_STYLE, '', 10))}`]
  if (body?.type === 'bytes')
    return [`-H ${quoted(`Content-Type: ${body.media}`)}`, `--data-binary @${body.file}`]
  if (!body) return []
  const fields = Object.entries(body.fields).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`)
  return [...fields, `-F files=@${FILE}`]
}
