/** Where files are served by their keys; the transport sends what lies below with exact lengths. */
export const HOSTING_PREFIX = '/api/hosting/'
