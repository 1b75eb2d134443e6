/** Uploads of this page; undefined until their code is loaded. */
export const queue: { now?: { isUploading: () => boolean; cancelAll: () => void } } = {}
