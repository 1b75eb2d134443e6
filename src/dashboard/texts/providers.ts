import type { SignInCode } from '../../modules/sign-in/oidc/model.ts'
import { inLanguage } from '../language.ts'

/** Sentences about sign-ins that failed at a provider, by their codes. */
const failures: Record<SignInCode, (name: string) => string> = {
  state_mismatch: () => 'The sign-in took too long, or began in another browser. Try again.',
  access_denied: (name) => `${name} didn’t confirm the sign-in, or you cancelled it. Try again.`,
  invalid_code: (name) =>
    `The response from ${name} could not be verified. Try again. If that doesn’t help, tell an admin: the reason is in the server’s log.`,
  email_missing: (name) =>
    `${name} didn’t send an e-mail address. Add one to your account there and try again.`,
  email_not_verified: (name) =>
    `${name} doesn’t confirm that your e-mail address is yours. If you have an account here, sign in with your password and link ${name} under Account. Otherwise ask an admin.`,
  account_not_linked: (name) =>
    `Your account here isn’t linked to ${name} yet. Sign in with your password, then link it under Account.`,
  account_already_linked: (name) =>
    `One of the two accounts is linked to another one already. Unlink it first, or use another account at ${name}.`,
  signup_disabled: () => 'You don’t have an account here yet. Ask an admin to add you.',
  not_in_group: (name) => `Your groups at ${name} don’t give you access. Ask an admin.`,
  account_disabled: () => 'This account is disabled. Ask an admin.',
  provider_unavailable: (name) => `${name} can’t be reached. Try again soon, or sign in another way.`,
}

/** Texts of signing in with a provider, or with a link of the operator. */
export const providerTexts = inLanguage('providerTexts', {
  failures,
  or: 'or',
  forwarded: 'Continue with your sign-in at the proxy',
  with: (name: string) => `Sign in with ${name}`,
  signOutToo: (name: string) => `Sign out of ${name}, too`,
  provider: 'the provider',

  link: {
    title: 'Single sign-on',
    lead: 'Accounts elsewhere that sign you in here.',
    is: (name: string) => `${name} signs you in to this account.`,
    isNot: (name: string) => `${name} isn’t linked to this account.`,
    link: (name: string) => `Link ${name}`,
    unlink: (name: string) => `Unlink ${name}`,
    unlinked: (name: string) => `${name} no longer signs you in`,
    linked: (name: string) =>
      `Your account was linked to ${name}, because both have the same e-mail address. You can unlink it under Account.`,
  },

  settings: {
    title: 'Single sign-on',
    lead: 'Set by the variables that begin with OIDC_.',
    redirect: 'Redirect address, for the client at the provider',
    issuer: 'Issuer',
    try: 'Try it',
    works: (name: string) => `Holdfast reached ${name}. Its metadata are as expected.`,
    guide: 'How to set it up',
  },

  linkPage: {
    title: 'Sign in with a link',
    lead: 'An operator of this server made this link for you. It works once.',
    submit: 'Sign in',
    other: 'Sign in another way',
  },
})
