/** Path at which resumable uploads are created; each is at its id below it. */
export const UPLOADS_PATH = '/api/uploads'

/** True when a path, with or without a query, is about resumable uploads. */
export const isUpload = (path: string): boolean =>
  path.startsWith(UPLOADS_PATH) && /^(?:$|[/?])/.test(path.slice(UPLOADS_PATH.length))

/** True when a path is about an upload that has begun. */
export const isBegunUpload = (path: string): boolean =>
  path.startsWith(UPLOADS_PATH) && /^\/[^?]/.test(path.slice(UPLOADS_PATH.length))
