import type { KeyScope, NewApiKey } from '../../../client/index.ts'

/** An instance and an API key for it. */
export interface Credentials {
  /** Address of the API without a slash at its end. */
  origin: string
  secret: string
  scopes: readonly string[]
  /** Credentials of the API key for the S3 API. */
  s3: NewApiKey['s3']
}

export type Way = 'curl' | 'sharex' | 'webdav' | 's3' | 'javascript'

const has = ({ scopes }: Credentials, scope: KeyScope) => scopes.includes(scope)

/** Returns the examples for an API key. ShareX needs one that can upload, WebDAV and S3 one that can read. */
export const waysFor = (credentials: Credentials): Way[] => {
  const others: Way[] = []
  if (has(credentials, 'files:write')) others.push('sharex')
  if (has(credentials, 'files:read')) others.push('webdav', 's3')
  return ['curl', ...others, 'javascript']
}

/** Complete examples: they upload if the API key can, else read, else delete. */
export const snippets: Record<Way, (credentials: Credentials) => string> = {
  curl: (credentials) => {
    const { origin, secret } = credentials
    const [address, ...options] = curlParts(credentials)
    const parts = [`curl "${origin}${address}"`, `-H "API-Key: ${secret}"`, ...options]
    return parts.join(' \\\n  ')
  },
  javascript: (credentials) =>
    has(credentials, 'files:write') ? uploadScript(credentials) : otherScript(credentials),
  webdav: ({ origin, secret }) => `Address:  ${origin}/dav/
User:     holdfast
Password: ${secret}

# rclone
rclone config create holdfast webdav url=${origin}/dav/ vendor=owncloud user=holdfast pass=${secret} --obscure`,
  s3: ({ origin, s3 }) => `Endpoint:          ${origin}
Region:            auto
Access key ID:     ${s3.accessKeyId}
Secret access key: ${s3.secretAccessKey}

# aws-cli
export AWS_ENDPOINT_URL=${origin} AWS_REGION=auto
export AWS_ACCESS_KEY_ID=${s3.accessKeyId} AWS_SECRET_ACCESS_KEY=${s3.secretAccessKey}

# rclone
rclone config create holdfast s3 provider=Other endpoint=${origin} access_key_id=${s3.accessKeyId} secret_access_key=${s3.secretAccessKey}`,
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
 * Returns ShareX's custom uploader (https://getsharex.com/docs/custom-uploader). It uses a folder per month,
 * because ShareX's random names may repeat.
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

/** Returns a file name with the extension that ShareX opens. */
export const shareXFileName = ({ origin }: Credentials) => `${new URL(origin).hostname}.sxcu`
