import type { texts } from '../texts.ts'

/** Texts that a language has: all that the files beside this one and `texts.ts` export. The compiler names what it lacks. */
export type Translation = { texts: FirstTexts } & typeof import('./account.ts') &
  typeof import('./activity.ts') &
  typeof import('./browse.ts') &
  typeof import('./conflicts.ts') &
  typeof import('./devices.ts') &
  typeof import('./dialogs.ts') &
  typeof import('./invitations.ts') &
  typeof import('./keys.ts') &
  typeof import('./overview.ts') &
  typeof import('./passkeys.ts') &
  typeof import('./preview.ts') &
  typeof import('./providers.ts') &
  typeof import('./register.ts') &
  typeof import('./rights.ts') &
  typeof import('./scopes.ts') &
  typeof import('./search.ts') &
  typeof import('./security.ts') &
  typeof import('./settings.ts') &
  typeof import('./shares.ts') &
  typeof import('./sign-in.ts') &
  typeof import('./site.ts') &
  typeof import('./trash.ts') &
  typeof import('./uploads.ts') &
  typeof import('./users.ts') &
  typeof import('./webhooks.ts')

/** Texts of a first visit, without those that have files of their own. */
export type FirstTexts = Omit<typeof texts, 'trash' | 'uploads'>
