/** Where uploads that may be continued are begun; below it, by their ids, they are. */
export const UPLOADS_PATH = '/api/uploads'

/** Whether a path, with or without a query, is about uploads that may be continued. */
export const isUpload = (path: string): boolean =>
  path.startsWith(UPLOADS_PATH) && /^(?:$|[/?])/.test(path.slice(UPLOADS_PATH.length))

/** Whether it is about one that was begun. */
export const isBegunUpload = (path: string): boolean =>
  path.startsWith(UPLOADS_PATH) && /^\/[^?]/.test(path.slice(UPLOADS_PATH.length))
