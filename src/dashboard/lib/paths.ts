/** Addresses outside the dashboard. */

export const DOCS = '/docs'
export const API_DOCS = '/api/docs'
export const BACKUP_DOCS = '/docs/backup'
export const ADDRESS_DOCS = '/docs/configuration'

/** Returns the full address of a file or a share. */
export const linkTo = ({ url }: { url: string }) => new URL(url, `${location.origin}/`).href
