import type { Module } from '../../api/module.ts'
import type { HttpsConfig } from '../../platform/https.ts'
import { onEachServer } from '../../platform/jobs.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Certificate, isLate } from './certificate.ts'
import { CertificateFiles } from './files.ts'
import { plainHandlers } from './plain.ts'

export interface Https extends Module {
  port: number
  certificate: () => Certificate | undefined
  /** Returns the handlers of a client's connections to the plain port, made of those of the server. */
  plain: (fetch: (request: Request) => Promise<Response>) => ReturnType<typeof plainHandlers>
  /** Looks for a new certificate. */
  reload: () => void
  isUnusable: () => boolean
  expiring: () => number | undefined
}

/**
 * Creates the module that has the certificate of HTTPS.
 *
 * @throws {StartError} when the certificate cannot be used.
 */
export function createHttps({ config, clock, log }: Platform, { port, files }: HttpsConfig): Https {
  const source = new CertificateFiles(files, log)
  const certificate = () => source.current
  const reload = () => source.look()
  return {
    port,
    certificate,
    plain: (fetch) => plainHandlers({ config, certificate }, fetch),
    reload,
    isUnusable: () => source.isBroken,
    expiring: () => (isLate(source.current, clock.now()) ? source.current.expiresAt : undefined),
    jobs: [onEachServer('*/10 * * * * *', 'Looking for a new certificate', async () => reload())],
  }
}
