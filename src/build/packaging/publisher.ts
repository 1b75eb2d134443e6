const { RELEASE_URL = '', MINISIGN_PUBLIC_KEY = '' } = process.env

/** Facts that only the owner of the project knows, for all packages, the installer and the formula of Homebrew. */
export const PUBLISHER = {
  /** Name and address in the Debian package. Mails to this address arrive nowhere. */
  maintainer: 'The Holdfast authors <holdfast@users.noreply.github.com>',
  /** Address of the release's files, which the workflow gives. */
  releaseUrl: RELEASE_URL,
  /** Address of the repository. npm's provenance compares it with that of the workflow. */
  repository: RELEASE_URL.replace(/\/releases\/.*$/, ''),
  /** Key that verifies the signature, which the workflow gives. */
  publicKey: MINISIGN_PUBLIC_KEY,
}
