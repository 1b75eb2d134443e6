import { type CertificateFiles, certificateFiles } from './certificates.ts'

/** True when `HOLDFAST_TLS` says that tests speak TLS to their servers. */
export const IS_OVER_TLS = process.env['HOLDFAST_TLS'] === '1'

let files: CertificateFiles | undefined

/** Returns the variables by which a server speaks TLS, if tests do. */
export function tlsVariables(): Record<string, string> {
  if (!IS_OVER_TLS) return {}
  if (!files) {
    const written = certificateFiles('holdfast.test')
    process.on('exit', () => written[Symbol.dispose]())
    files = written
  }
  return files.environment
}
