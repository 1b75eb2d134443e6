import * as T from 'typebox'
import { StartError } from './errors.ts'
import { hostName } from './hosts.ts'

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
  HTTPS_DOMAINS: text({
    title:
      'Names to get a certificate for by ACME; `auto` for the host of `BASE_URL` and those of sites. Setting it accepts the terms of the authority.',
    unset: 'no ACME',
    description: 'host names separated by commas, or auto',
  }),
  ACME_EMAIL: text({
    title: 'Address at which the authority reaches the operator.',
    unset: 'none',
    pattern: '^$|^[^@\\s,?]+@[^@\\s,?]+$',
    description: 'an email address',
  }),
  ACME_DIRECTORY: T.String({
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    title: 'Directory of the authority.',
    pattern: '^https://\\S+$',
    description: 'an https address',
  }),
  ACME_CA: text({
    title: 'File with the certificates to trust at the directory, for an authority of your own.',
    unset: 'those that the runtime trusts',
    description: 'the path of a file in PEM',
  }),
  ACME_EAB_KID: text({
    title: 'Key id of an account at the authority (External Account Binding).',
    unset: 'none',
    description: 'a key id',
  }),
  ACME_EAB_KEY: text({
    title: 'Key of that account.',
    unset: 'none',
    pattern: '^$|^[\\w-]+={0,2}$',
    description: 'a key in base64url',
  }),
  ACME_DNS_HOOK: text({
    title:
      'Program that sets DNS records: `present` or `cleanup`, name, value. All names are then proven by DNS, and may be wildcards.',
    unset: 'names are proven over HTTP',
    description: 'the path of a program',
  }),
}

/** Authority that issues the certificate, and for which names (ACME, RFC 8555). */
export interface AcmeConfig {
  /** Names to get a certificate for. */
  domains: readonly string[]
  /** Also the names of sites. */
  isAuto: boolean
  email: string | undefined
  /** Address of the authority's directory. */
  directory: string
  /** Path of the certificates to trust there. */
  ca: string | undefined
  eab: { kid: string; key: string } | undefined
  /** Path of the program that sets DNS records. */
  dnsHook: string | undefined
}

/** Port for HTTPS, and where its certificate comes from. */
export interface HttpsConfig {
  /** Port to listen on; 0 for any free one. */
  port: number
  /** Paths of the certificate and its key, or the authority that issues it. */
  source: { cert: string; key: string } | AcmeConfig
}

type Variables = T.Static<T.TObject<typeof HttpsVariables>> & { BASE_URL: string }

/**
 * Returns the configuration of HTTPS; `undefined` when it has none.
 *
 * @throws {StartError} for variables that do not belong together.
 */
export function readHttps(variables: Variables): HttpsConfig | undefined {
  const {
    HTTPS_PORT: port,
    TLS_CERT: cert,
    TLS_KEY: key,
    HTTPS_DOMAINS: domains,
    BASE_URL: baseUrl,
  } = variables
  const given = Object.entries({ TLS_CERT: cert, TLS_KEY: key, HTTPS_DOMAINS: domains }).find(
    ([, value]) => value !== '',
  )
  if (port === '' && given === undefined) return undefined
  if (port === '') throw new StartError(`HTTPS_PORT is missing: ${given?.[0]} is set, and is for HTTPS only`)
  if (/^http:/i.test(baseUrl))
    throw new StartError('BASE_URL must begin with https://, because HTTPS_PORT is set')
  if (domains !== '' && cert === '' && key === '') return { port: Number(port), source: readAcme(variables) }
  if (domains !== '') throw new StartError('HTTPS_DOMAINS cannot be used together with TLS_CERT and TLS_KEY')
  if (cert === '' || key === '')
    throw new StartError(
      'HTTPS_PORT needs a certificate: set TLS_CERT and TLS_KEY to its files, or HTTPS_DOMAINS to its names',
    )
  return { port: Number(port), source: { cert, key } }
}

function readAcme(variables: Variables): AcmeConfig {
  const { ACME_EAB_KID: kid, ACME_EAB_KEY: key, ACME_DNS_HOOK: dnsHook, BASE_URL: baseUrl } = variables
  const isAuto = variables.HTTPS_DOMAINS === 'auto'
  if (isAuto && baseUrl === '') throw new StartError('BASE_URL is missing: HTTPS_DOMAINS is auto')
  const given = isAuto ? new URL(baseUrl).hostname : variables.HTTPS_DOMAINS
  const domains = given.split(',').map((domain) => {
    const text = domain.trim()
    const name = hostName(text.replace(/^\*\./, ''))
    if (name?.includes('.') !== true)
      throw new StartError(`HTTPS_DOMAINS must be host names separated by commas, or auto, not "${text}"`)
    if (!text.startsWith('*.')) return name
    if (dnsHook === '') throw new StartError(`ACME_DNS_HOOK is missing: "${text}" can be proven by DNS only`)
    return `*.${name}`
  })
  if ((kid === '') !== (key === '')) throw new StartError('ACME_EAB_KID and ACME_EAB_KEY belong together')
  return {
    domains: [...new Set(domains)],
    isAuto,
    email: variables.ACME_EMAIL || undefined,
    directory: variables.ACME_DIRECTORY,
    ca: variables.ACME_CA || undefined,
    eab: kid === '' ? undefined : { kid, key },
    dnsHook: dnsHook || undefined,
  }
}
