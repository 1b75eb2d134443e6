/** Where files are served by their keys. */
export const HOSTING_PREFIX = '/api/hosting/'
