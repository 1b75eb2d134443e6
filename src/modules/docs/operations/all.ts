import type { Group } from '../described.ts'
import { ACCOUNT_GROUP, KEYS } from './account.ts'
import { INSTANCE, USERS } from './admin.ts'
import { FILES } from './files.ts'
import { FOLDERS } from './folders.ts'
import { HOSTING } from './hosting.ts'
import { SIGN_IN, SYSTEM } from './open.ts'
import { UPLOADS } from './uploads.ts'

/** Routes of the API, in the order of the document. */
export const GROUPS: readonly Group[] = [
  FILES,
  UPLOADS,
  FOLDERS,
  HOSTING,
  ACCOUNT_GROUP,
  KEYS,
  USERS,
  INSTANCE,
  SIGN_IN,
  SYSTEM,
]
