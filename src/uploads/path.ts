/** Where uploads that may be continued are begun; below it, by their ids, they are. */
export const UPLOADS_PATH = '/api/uploads'
