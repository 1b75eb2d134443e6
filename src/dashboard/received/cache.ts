/** Cache of files that other apps have shared with the dashboard, until they are uploaded. */
export const CACHE = 'received'
/** Header of the cache's entries that has the name of the file, percent-encoded. */
export const NAME = 'X-Name'
/** Name of the form's field and of the search parameter. */
export const FIELD = 'shared'
