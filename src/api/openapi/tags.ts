/** Groups of routes, in the order of the document. */
export const TAGS = {
  Files: 'List and look up, upload, change, move, sign, download, delete.',
  'Resumable uploads':
    'Uploads that continue after an interruption, by tus 1.0.0 (https://tus.io). An unfinished upload expires after ' +
    'a day.',
  Folders: 'Browse, create, change, move, download and unpack archives, delete.',
  Trash: 'Deleted files and folders, which can be restored for some days.',
  Shares:
    'Links with rules by which people without an account read files and folders. A share belongs to an account, and is ' +
    'closed while that account is disabled or lacks the scope.',
  Hosting: 'Files by URL. These requests have a rate limit of their own.',
  Sites: 'Folders that are websites at hosts of their own, while `SITES_DOMAIN` is set.',
  Account: 'The caller’s own account, its password, sessions and history.',
  'API keys': 'The caller’s own keys, for programs: each carries some of the file scopes.',
  Users: 'The accounts of the instance and the invitations to it, for its admins.',
  Webhooks: 'Events of the instance, sent to other servers with a signature.',
  Instance: 'Settings of the instance, and the figures of the dashboard.',
  'Signing in':
    'For browsers and apps, compatible with better-auth’s clients: fields are in `data` and beside it, failures have ' +
    'a `code`. A request with a cookie must have a trusted origin. Pages of other sites are refused with or without ' +
    'a cookie, by `Sec-Fetch-Site`, `Origin`, or `Referer` if there is no `Origin`.',
  System: 'Endpoints without authentication.',
} as const

export type Tag = keyof typeof TAGS
