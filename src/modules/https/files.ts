import { readFileSync } from 'node:fs'
import { StartError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { type Certificate, parseCertificate } from './certificate.ts'

/** Paths of a certificate and its key. */
interface Paths {
  cert: string
  key: string
}

/** Certificate in two files that another program renews. */
export class CertificateFiles {
  readonly #paths: Paths
  readonly #log: Log
  #current: Certificate
  /** True when the files have changed since the start. */
  isRenewed = false
  /** Contents that cannot be used, and whether that was reported. */
  #broken: { contents: string; isReported: boolean } | undefined

  /** @throws {StartError} when the files cannot be used. */
  constructor(paths: Paths, log: Log) {
    this.#paths = paths
    this.#log = log
    try {
      this.#current = parseCertificate(...this.#read())
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new StartError(`${this.#unusable()}: ${reason}`, { cause: error })
    }
  }

  get current(): Certificate {
    return this.#current
  }

  /** True while the files hold something that cannot be used. */
  get isBroken(): boolean {
    return this.#broken?.isReported === true
  }

  /** Uses what the files hold now, unless it is broken. Between the renewal of one and that of the other it may be. */
  look(): void {
    let contents = ''
    try {
      const [cert, key] = this.#read()
      contents = cert + key
      if (cert !== this.#current.cert || key !== this.#current.key) {
        this.#current = parseCertificate(cert, key)
        this.isRenewed = true
        this.#log.info(`HTTPS uses the new certificate in "${this.#paths.cert}"`)
      }
      this.#broken = undefined
    } catch (error) {
      const isKnown = this.#broken?.contents === contents
      if (isKnown && !this.#broken?.isReported)
        this.#log.error(`${this.#unusable()}; HTTPS keeps the one before`, error)
      this.#broken = { contents, isReported: isKnown }
    }
  }

  #read(): [cert: string, key: string] {
    return [readFileSync(this.#paths.cert, 'utf8'), readFileSync(this.#paths.key, 'utf8')]
  }

  #unusable(): string {
    const { cert, key } = this.#paths
    return `The certificate in "${cert}" (TLS_CERT) with its key in "${key}" (TLS_KEY) cannot be used`
  }
}
