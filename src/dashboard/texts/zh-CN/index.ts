import type { Translation } from '../translation.ts'
import * as account from './account.ts'
import * as activity from './activity.ts'
import * as browse from './browse.ts'
import * as conflicts from './conflicts.ts'
import * as devices from './devices.ts'
import * as dialogs from './dialogs.ts'
import * as first from './first.ts'
import * as invitations from './invitations.ts'
import * as keys from './keys.ts'
import * as overview from './overview.ts'
import * as passkeys from './passkeys.ts'
import * as preview from './preview.ts'
import * as providers from './providers.ts'
import * as register from './register.ts'
import * as rights from './rights.ts'
import * as scopes from './scopes.ts'
import * as search from './search.ts'
import * as security from './security.ts'
import * as settings from './settings.ts'
import * as shares from './shares.ts'
import * as signIn from './sign-in.ts'
import * as trash from './trash.ts'
import * as uploads from './uploads.ts'
import * as users from './users.ts'
import * as webhooks from './webhooks.ts'

const texts: Translation = {
  ...account,
  ...activity,
  ...browse,
  ...conflicts,
  ...devices,
  ...dialogs,
  ...first,
  ...invitations,
  ...keys,
  ...overview,
  ...passkeys,
  ...preview,
  ...providers,
  ...register,
  ...rights,
  ...scopes,
  ...search,
  ...security,
  ...settings,
  ...shares,
  ...signIn,
  ...trash,
  ...uploads,
  ...users,
  ...webhooks,
}

globalThis.holdfastLanguage = { tag: 'zh-CN', texts: { ...texts } }
