/** Path prefix of files served by their keys. */
export const HOSTING_PREFIX = '/api/hosting/'
