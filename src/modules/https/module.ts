import type { Context } from '../../access/context.ts'
import type { Module } from '../../api/module.ts'
import type { AcmeConfig, HttpsConfig } from '../../platform/https.ts'
import { onEachServer } from '../../platform/jobs.ts'
import { type Certificate, isLate } from './certificate.ts'
import { CertificateFiles } from './files.ts'
import { plainHandlers } from './plain.ts'

/** Origin of the certificate of HTTPS. */
interface Source extends Pick<Module, 'jobs' | 'stop'> {
  current: () => Certificate | undefined
  /** Looks for a new certificate. */
  reload: () => void
  /** True when there was one before it. */
  isRenewed: () => boolean
  /** True while there is a new one that cannot be used. */
  isUnusable: () => boolean
  /** Returns the names without a certificate, each with the reason. */
  refused: () => { name: string; reason: string }[]
  /** Returns the text that an authority expects for a token. */
  textFor?: (token: string) => Promise<string | undefined>
}

export interface Https extends Module, Omit<Source, 'current' | 'textFor'> {
  port: number
  certificate: Source['current']
  /** Returns the handlers of a client's connections to the plain port, made of those of the server. */
  plain: (fetch: (request: Request) => Promise<Response>) => ReturnType<typeof plainHandlers>
  /** Returns when a certificate expires that should have been renewed. */
  expiring: () => number | undefined
}

/**
 * Creates the module that has the certificate of HTTPS.
 *
 * @throws {StartError} when the certificate cannot be used.
 */
export async function createHttps(context: Context, { port, source: from }: HttpsConfig): Promise<Https> {
  const { config, clock, log } = context
  const source =
    'cert' in from ? fromFiles(new CertificateFiles(from, log)) : await fromAuthority(context, from)
  const { current: certificate, textFor, ...rest } = source
  return {
    ...rest,
    port,
    certificate,
    plain: (fetch) => plainHandlers({ config, certificate, textFor }, fetch),
    expiring: () => {
      const current = certificate()
      return current && isLate(current, clock.now()) ? current.expiresAt : undefined
    },
  }
}

function fromFiles(files: CertificateFiles): Source {
  return {
    current: () => files.current,
    reload: () => files.look(),
    isRenewed: () => files.isRenewed,
    isUnusable: () => files.isBroken,
    refused: () => [],
    jobs: [onEachServer('*/10 * * * * *', 'Looking for a new certificate', async () => files.look())],
  }
}

async function fromAuthority(context: Context, config: AcmeConfig): Promise<Source> {
  const { IssuedCertificate } = await import('./acme/issued.ts')
  const names = () => [
    ...new Set([...config.domains, ...(config.isAuto ? hostsOfSites(context, config) : [])]),
  ]
  const issued = new IssuedCertificate({ ...context, names, sleep: Bun.sleep }, config)
  await issued.look()
  const renewing = onEachServer('30 * * * * *', 'Renewing the certificate', () => issued.renew())
  return {
    current: () => issued.current,
    reload: () =>
      void issued.look().catch((error) => context.log.error('The certificate cannot be read', error)),
    isRenewed: () => issued.isRenewed,
    isUnusable: () => false,
    refused: () => issued.refused,
    textFor: issued.textFor,
    stop: () => issued.stop(),
    jobs: [
      onEachServer('*/10 * * * * *', 'Looking for a new certificate', () => issued.look()),
      { ...renewing, atStart: true },
    ],
  }
}

/** Returns the hosts of all sites. Those below `SITES_DOMAIN` are one wildcard, where DNS can prove it. */
function hostsOfSites({ config, store }: Context, { dnsHook }: AcmeConfig): string[] {
  const { sitesDomain } = config
  if (sitesDomain === undefined) return []
  const { names, domains } = store.siteIndex.all()
  const below = dnsHook === undefined ? names : ['*']
  return [...domains, ...below.map((name) => `${name}.${sitesDomain}`)]
}
