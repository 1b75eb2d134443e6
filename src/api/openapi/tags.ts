/** Groups of routes, in the order of the document. */
export const TAGS = {
  Files: 'List and look up, upload, change, move, sign, download, delete.',
  'Resumable uploads':
    'Uploads that may be continued after whatever broke them off, by tus 1.0.0 (https://tus.io). An upload that is not ' +
    'finished expires after a day.',
  Folders: 'Browse, create, change, move, download and unpack archives, delete.',
  Hosting: 'Files by URL. These requests are limited apart from all others.',
  Account: 'The caller’s own account, its password, sessions and history.',
  'API keys': 'The caller’s own keys, for programs: each carries some of the file scopes.',
  Users: 'The accounts of the instance, for its admins.',
  Instance: 'Settings that hold for everyone, and what the dashboard shows.',
  'Signing in':
    'For browsers and apps, in the words of better-auth’s clients: the fields stand in `data` and beside it, failures ' +
    'carry a `code`. A request with a cookie must name a trusted origin. Pages of other sites are refused with or ' +
    'without a cookie: by `Sec-Fetch-Site`, `Origin`, or `Referer` where there is no `Origin`.',
  System: 'What anyone may ask.',
} as const

export type Tag = keyof typeof TAGS
