import * as T from 'typebox'
import { StartError } from './errors.ts'

const text = (options: { title: string; unset: string; pattern: string; description: string }) =>
  T.String({ default: '', ...options })

const ADDRESS = 'an http or https address, such as https://s3.eu-central-1.amazonaws.com'

/** Variables of an object store that has the bytes of all files. */
export const ObjectStoreVariables = {
  S3_ENDPOINT: text({
    title: 'Address of an S3-compatible store for the bytes of all files.',
    unset: 'none: the bytes are files in `DATA_PATH`',
    pattern: '^$|^https?://[^/?#@\\s]+(/[^?#@\\s]*)?$',
    description: ADDRESS,
  }),
  S3_BUCKET: text({
    title: 'Bucket of that store.',
    unset: 'none',
    pattern: '^$|^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$',
    description: 'the name of a bucket',
  }),
  S3_REGION: T.String({
    default: 'us-east-1',
    pattern: '^[A-Za-z0-9-]{1,64}$',
    title: 'Region for signing requests.',
    description: 'the name of a region',
  }),
  S3_ACCESS_KEY_ID: text({
    title: 'Access key of an account that may read, write, list and delete in the bucket.',
    unset: 'none',
    pattern: '^$|^[!-~]+$',
    description: 'an access key',
  }),
  S3_SECRET_ACCESS_KEY: text({
    title: 'Secret of the access key.',
    unset: 'none',
    pattern: '^$|^[!-~]+$',
    description: 'the secret of an access key',
  }),
  S3_PREFIX: text({
    title: 'Prefix of every key in the bucket. No other program or instance may use it.',
    unset: 'none',
    pattern: '^$|^((?!\\.{1,2}(/|$))[A-Za-z0-9._-]+/?)+$',
    description: 'a path of letters, digits, dots, hyphens and underscores, such as holdfast/',
  }),
  S3_VIRTUAL_HOSTED: T.Union([T.Literal('true'), T.Literal('false')], {
    default: 'false',
    title: 'true puts the bucket in the host name, false in the path.',
    description: 'true or false',
  }),
  CACHE_SIZE: T.Integer({
    default: 10 * 1024 ** 3,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    title: 'Maximum size of `<DATA_PATH>/cache`, the local copies of files from the object store.',
    description: 'a whole number with an optional unit from B to TiB, such as 10GiB; 0 keeps none',
  }),
}

const REQUIRED = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

/** Object store that has the bytes of all files. */
export interface ObjectStoreConfig {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Bucket as the first label of the host name, not as the first segment of the path. */
  isVirtualHosted: boolean
  /** Beginning of all keys: empty, or with a slash at its end. */
  prefix: string
  /** Maximum size of the local copies, in bytes. */
  cacheBytes: number
}

/** Variables that have no meaning without those. */
const OPTIONAL = ['S3_REGION', 'S3_PREFIX', 'S3_VIRTUAL_HOSTED']

type Variables = T.Static<T.TObject<typeof ObjectStoreVariables>>

/**
 * Returns the object store of the configuration; `undefined` when it has none.
 *
 * @param isGiven Returns true for a variable that is set to a value.
 * @throws {StartError} with the variables that are missing.
 */
export function readObjectStore(
  variables: Variables,
  isGiven: (name: string) => boolean,
): ObjectStoreConfig | undefined {
  const given = [...REQUIRED, ...OPTIONAL].find(isGiven)
  if (given === undefined) return undefined
  const missing = REQUIRED.filter((name) => variables[name] === '')
  if (missing.length > 0)
    throw new StartError(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing: ${given} is set, and an object store needs ${missing.length === 1 ? 'it' : 'them'}`,
    )
  const { S3_ENDPOINT: endpoint, S3_PREFIX: prefix } = variables
  if (!URL.canParse(endpoint)) throw new StartError(`S3_ENDPOINT must be ${ADDRESS}, not "${endpoint}"`)
  return {
    endpoint,
    bucket: variables.S3_BUCKET,
    region: variables.S3_REGION,
    accessKeyId: variables.S3_ACCESS_KEY_ID,
    secretAccessKey: variables.S3_SECRET_ACCESS_KEY,
    isVirtualHosted: variables.S3_VIRTUAL_HOSTED === 'true',
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    cacheBytes: variables.CACHE_SIZE,
  }
}
