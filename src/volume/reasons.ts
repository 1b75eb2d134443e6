const FORBIDDEN = 'this user may not write there. Change its owner, or set DATA_PATH'
const NO_FOLDER = 'a file is in its place. Set DATA_PATH to a folder'

/** Errors of the system in words, with what to do. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  ENOENT: 'it does not exist. Set DATA_PATH',
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EINVAL: 'its disk cannot make folders durable. Use a local disk',
}

/** Returns why the data folder cannot be used, to end a message with; the code itself for a rare one. */
export const reasonOfSystem = (code: string): string => REASONS[code] ?? code
