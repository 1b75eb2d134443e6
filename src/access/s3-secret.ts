import { createHmac } from 'node:crypto'
import * as T from 'typebox'
import { named } from '../api/schema.ts'
import type { KeyRow } from '../store/rows.ts'
import type { Secrets } from './secrets.ts'

/** Schema of the credentials of an API key for the S3 API. */
export const S3View = named(
  'S3Credentials',
  T.Object({ accessKeyId: T.String(), secretAccessKey: T.String() }),
  {
    accessKeyId: '019a2f5e8f017b3d9e441d2c3b4a5f60',
    secretAccessKey: 'pZ3rX0nq1J5yqk8m2c4QeV6tYwB9uHsDfGaLzRxTiNo',
  },
)

export type S3Credentials = T.Static<typeof S3View>

const ACCESS_KEY_ID = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/

/**
 * Returns the credentials of an API key for the S3 API. Its signatures need the secret itself, and of an API key only a hash
 * is stored: so the secret is made from the id, and ends with `AUTH_SECRET`.
 */
export const s3CredentialsOf = ({ s3 }: Pick<Secrets, 's3'>, { id }: Pick<KeyRow, 'id'>): S3Credentials => ({
  accessKeyId: id.replaceAll('-', ''),
  secretAccessKey: createHmac('sha256', s3).update(id).digest('base64url'),
})

/** Returns the id of the API key that an access key id stands for; `undefined` for any other text. */
export function keyIdOf(accessKeyId: string): string | undefined {
  const [, ...parts] = ACCESS_KEY_ID.exec(accessKeyId) ?? []
  return parts.length > 0 ? parts.join('-') : undefined
}
