import type { KeyScope } from '../../../client/index.ts'

/** An instance and a key to use it with. */
export interface Credentials {
  /** Where the API is, without a slash at its end. */
  origin: string
  secret: string
  scopes: readonly string[]
}

export type Way = 'curl' | 'sharex' | 'javascript'

const has = ({ scopes }: Credentials, scope: KeyScope) => scopes.includes(scope)

/** A key that may not upload is of no use to ShareX. */
export const waysFor = (credentials: Credentials): Way[] =>
  has(credentials, 'files:write') ? ['curl', 'sharex', 'javascript'] : ['curl', 'javascript']

/** Example code that works as it stands: uploads where the key may, else reads, else deletes. */
export const snippets: Record<Way, (credentials: Credentials) => string> = {
  curl: (credentials) => {
    const { origin, secret } = credentials
    const [address, ...options] = curlParts(credentials)
    const parts = [`curl "${origin}${address}"`, `-H "API-Key: ${secret}"`, ...options]
    return parts.join(' \\\n  ')
  },
  javascript: (credentials) =>
    has(credentials, 'files:write') ? uploadScript(credentials) : otherScript(credentials),
  sharex: (credentials) => JSON.stringify(shareXConfig(credentials), null, 2),
}

function curlParts(credentials: Credentials): [string, ...string[]] {
  if (has(credentials, 'files:write')) return ['/api/files', '-F "files=@photo.jpg"']
  if (has(credentials, 'files:read')) return ['/api/files?limit=20']
  return ['/api/files', '-X DELETE', `-d '{"id":"<file id>"}'`]
}

const uploadScript = ({ origin, secret }: Credentials) => `import { openAsBlob } from 'node:fs'

const body = new FormData()
body.append('files', await openAsBlob('photo.jpg'), 'photo.jpg')

const response = await fetch('${origin}/api/files', {
  method: 'POST',
  headers: { 'API-Key': '${secret}' },
  body,
})
const { data, error } = await response.json()
if (error) throw new Error(error.message)
console.log(new URL(data.files[0].url, '${origin}/').href)
`

function otherScript(credentials: Credentials): string {
  const { origin, secret } = credentials
  const mayRead = has(credentials, 'files:read')
  const request = mayRead
    ? [`  headers: { 'API-Key': '${secret}' },`]
    : [
        "  method: 'DELETE',",
        `  headers: { 'API-Key': '${secret}' },`,
        "  body: JSON.stringify({ id: '<file id>' }),",
      ]
  return [
    `const response = await fetch('${origin}/api/files${mayRead ? '?limit=20' : ''}', {`,
    ...request,
    '})',
    'const { data, error } = await response.json()',
    'if (error) throw new Error(error.message)',
    mayRead
      ? 'for (const file of data.files) console.log(file.key, file.size)\n'
      : "console.log('Deleted')\n",
  ].join('\n')
}

/**
 * ShareX's custom uploader (https://getsharex.com/docs/custom-uploader). It makes a folder for each month,
 * since it names its files by chance and two may meet.
 */
const shareXConfig = ({ origin, secret }: Credentials) => ({
  Version: '15.0.0',
  Name: `Holdfast (${new URL(origin).host})`,
  DestinationType: 'ImageUploader, TextUploader, FileUploader',
  RequestMethod: 'POST',
  RequestURL: `${origin}/api/files`,
  Headers: { 'API-Key': secret },
  Body: 'MultipartFormData',
  Arguments: { folder: 'ShareX/%y-%mo' },
  FileFormName: 'files',
  URL: `${origin}/{json:data.files[0].url}`,
  ErrorMessage: '{json:error.message}',
})

/** ShareX takes the file for its own by its ending. */
export const shareXFileName = ({ origin }: Credentials) => `${new URL(origin).hostname}.sxcu`
