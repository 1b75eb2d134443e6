import * as T from 'typebox'
import { StartError } from './errors.ts'

const text = (options: { title: string; unset: string; description: string; pattern?: string }) =>
  T.String({ default: '', ...options })

/** Variables of HTTPS without a proxy. */
export const HttpsVariables = {
  HTTPS_PORT: text({
    title: 'Port for HTTPS. `PORT` then redirects to it.',
    unset: 'no HTTPS',
    pattern: '^$|^\\d{1,4}$|^[1-5]\\d{4}$|^6[0-4]\\d{3}$|^65[0-4]\\d\\d$|^655[0-2]\\d$|^6553[0-5]$',
    description: 'a port number from 0 to 65535',
  }),
  TLS_CERT: text({
    title: 'File with the certificate for HTTPS and its chain. A new one is noticed within ten seconds.',
    unset: 'none',
    description: 'the path of a file in PEM',
  }),
  TLS_KEY: text({
    title: 'File with the private key of the certificate.',
    unset: 'none',
    description: 'the path of a file in PEM',
  }),
}

/** Port for HTTPS, and where its certificate comes from. */
export interface HttpsConfig {
  /** Port to listen on; 0 for any free one. */
  port: number
  /** Paths of the certificate and its key. */
  files: { cert: string; key: string }
}

type Variables = T.Static<T.TObject<typeof HttpsVariables>> & { BASE_URL: string }

/**
 * Returns the configuration of HTTPS; `undefined` when it has none.
 *
 * @throws {StartError} for variables that do not belong together.
 */
export function readHttps(variables: Variables): HttpsConfig | undefined {
  const { HTTPS_PORT: port, TLS_CERT: cert, TLS_KEY: key, BASE_URL: baseUrl } = variables
  const given = Object.entries({ TLS_CERT: cert, TLS_KEY: key }).find(([, value]) => value !== '')
  if (port === '' && given === undefined) return undefined
  if (port === '') throw new StartError(`HTTPS_PORT is missing: ${given?.[0]} is set, and is for HTTPS only`)
  if (cert === '' || key === '')
    throw new StartError('HTTPS_PORT needs a certificate: set TLS_CERT and TLS_KEY to its files')
  if (/^http:/i.test(baseUrl))
    throw new StartError('BASE_URL must begin with https://, because HTTPS_PORT is set')
  return { port: Number(port), files: { cert, key } }
}
