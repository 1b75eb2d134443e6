/** Pages of the server outside the dashboard. */

export const DOCS = '/docs'
export const API_DOCS = '/api/docs'
export const BACKUP_DOCS = '/docs/backup'
export const ADDRESS_DOCS = '/docs/configuration'
