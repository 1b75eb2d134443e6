import { inLanguage } from '../language.ts'

/** Texts of the page on which a program is approved. */
export const deviceTexts = inLanguage('deviceTexts', {
  title: 'Approve a program',
  lead: 'Enter the code that the program shows.',
  code: 'Code',
  next: 'Continue',
  unknown: 'No program is waiting with this code. Check it, or start again: a code works for 10 minutes.',
  asks: (name: string) => `${name} asks for access`,
  compare: 'Approve it only if you started it yourself, and it shows this code:',
  able: (scopes: string, email: string) =>
    `It gets an API key of ${email}, which lets it ${scopes}. You can delete it under API keys at any time.`,
  from: (address: string) => `It asks from ${address}.`,
  approve: 'Approve',
  deny: 'Deny',
  approved: (name: string) => `${name} is logged in`,
  approvedText: 'You can close this page.',
  denied: 'Denied',
  deniedText:
    'The program gets no access. If you didn’t start it, someone may have sent you its link to get at your files.',
  home: 'Go to Holdfast',
})
