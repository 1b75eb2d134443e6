export const KINDS = ['image', 'video', 'audio', 'document', 'archive', 'code', 'other'] as const
export type Kind = (typeof KINDS)[number]

const DOCUMENTS = /pdf|msword|officedocument|opendocument|rtf|epub|^text\/(plain|markdown|csv)$/
const ARCHIVES = /zip|x-tar|gzip|x-bzip|x-7z|rar|x-xz|zstd/
const CODE = /json|javascript|typescript|xml|x-sh|yaml|toml|sql|^text\//

/** True for TypeScript, which has the media type of MPEG transport streams. */
const isTypeScript = (mimeType: string, name = '.ts') => mimeType === 'video/mp2t' && /\.[cm]?ts$/i.test(name)

/** Returns the kind of a file in everyday words. */
export function kindOf({ mimeType, name }: { mimeType: string; name?: string }): Kind {
  if (isTypeScript(mimeType, name)) return 'code'
  if (mimeType.startsWith('image/')) return 'image'
  if (mimeType.startsWith('video/')) return 'video'
  if (mimeType.startsWith('audio/')) return 'audio'
  if (DOCUMENTS.test(mimeType)) return 'document'
  if (ARCHIVES.test(mimeType)) return 'archive'
  return CODE.test(mimeType) ? 'code' : 'other'
}
