import { inLanguage } from '../language.ts'

/** Texts of the page that creates the first account. */
export const registerTexts = inLanguage('registerTexts', {
  title: 'Make it yours',
  lead: 'The account you create now is an admin. You can add others later.',
  submit: 'Create the admin account',
  newFiles: 'New files are',
  newFilesAre: {
    private: 'Only people with an account can open them. You can share single files by link.',
    public: 'Anyone who has a file’s link, or guesses it, can open it. Good for a website or downloads.',
  },
  newFilesLater: 'You can change this in Settings, and for each file.',
  newFilesFailed:
    'Your account is ready, but new files are still public. Make them private in Settings before you upload.',
  token: 'Setup token',
  tokenHint: 'The value of SETUP_TOKEN, or the token that the server printed when it started.',
})
