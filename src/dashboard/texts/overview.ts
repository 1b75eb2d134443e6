import { inLanguage } from '../language.ts'

/** Amounts of data on the volume, in words. */
interface VolumeParts {
  stored: string
  removed: string | undefined
  other: string
  left: string
}

/** Texts of the overview. */
export const overviewTexts = inLanguage('overviewTexts', {
  added: 'Files added',
  alert: {
    failed: (what: string, latest: string) => `${what} failed in the last week, the latest ${latest}.`,
    failedRemedy: 'Review the errors, retry, then dismiss.',
    integrity: (what: string, count: number) => `${what} ${count === 1 ? 'is' : 'are'} damaged on the disk.`,
    unfinished: (what: string) => `The disk won’t let the server finish ${what}.`,
    unfinishedRemedy: 'The server’s log says which, and why. It retries every minute.',
    integrityRemedy: 'Run the verify command to list them. Restore them from a backup, or upload them again.',
    integrityHeldRemedy:
      'Run the verify command to list them. Restore them from a backup, or delete them for good.',
    inTrash: { one: 'file in the trash', other: 'files in the trash' },
    ofVersions: { one: 'earlier version of a file', other: 'earlier versions of files' },
    'keys-expired': (count: string) => `${count} of your keys expired.`,
    'keys-expiring': (count: string) => `${count} of your keys will expire within a week.`,
    'keys-unused': (count: string) => `${count} of your keys went unused for 30 days.`,
    keyRemedy: {
      'keys-expired': 'Apps that use them have lost access. Create new keys and delete these.',
      'keys-expiring': 'Create new keys before apps lose access.',
      'keys-unused': 'Delete keys you no longer use.',
    },
    securityRelease: (version: string) => `Holdfast ${version} fixes a vulnerability of this version.`,
    securityRemedy: 'Back up, then update soon.',
    certificateUnusable: 'The new certificate for HTTPS can’t be used, so the one before it stays in use.',
    certificateUnusableRemedy:
      'Check the files of TLS_CERT and TLS_KEY. The server’s log says what is wrong.',
    certificateExpiring: (when: string) => `The certificate for HTTPS expires ${when}.`,
    certificateExpired: (when: string) => `The certificate for HTTPS expired ${when}.`,
    certificateExpiringRemedy: 'Renew it, or browsers will refuse to open this address.',
    certificateRefused: (names: string) => `No certificate for HTTPS yet: ${names}.`,
    certificateRefusedRemedy: (reason: string) => `Reason: ${reason}. The server tries again by itself.`,
    seeFailed: 'See what failed',
    seeKeys: 'Go to keys',
    seeLargest: 'See the largest files',
    storageLow: (left: string, capacity: string) => `Only ${left} of ${capacity} free on the disk.`,
    databaseLog: (size: string, limit: string) =>
      `The database’s log has grown to ${size}, past its limit of ${limit}.`,
    databaseLogRemedy: 'Another program, such as a backup, keeps the database open. Stop it.',
    cacheOwed: (what: string, first: string) =>
      `The cache in front of this server has missed ${what}, the first ${first}. It may still serve files that are no longer public.`,
    cacheOwedRemedy: 'Check that it runs and accepts purges. The server keeps trying.',
    storageRemedy: 'Delete files you no longer need, or add disk space, before uploads fail.',
  },
  alerts: 'Needs attention',
  checklist: {
    title: 'First steps',
    progress: (done: number, count: number) => `${done} of ${count} done`,
    close: 'Dismiss',
    done: 'done',
    steps: {
      upload: {
        title: 'Upload a file',
        text: 'Choose files or folders, or drop them anywhere in this window.',
        action: 'Go to files',
      },
      address: {
        title: 'Set the address',
        text: 'Set BASE_URL to the address that others open, with HTTPS. Links to files begin with it.',
        action: 'How to set it',
      },
      backup: {
        title: 'Plan a backup',
        text: 'One command copies the files and the database while the server runs. Schedule it to run every day.',
        action: 'How to back up',
        planned: 'Mark as done',
      },
      key: {
        title: 'Create an API key',
        text: 'Scripts, screenshot tools and other servers upload with a key.',
        action: 'Go to keys',
      },
      users: {
        title: 'Add people',
        text: 'Each gets an account of their own, with the permissions you choose.',
        action: 'Go to users',
      },
    },
  },
  figures: {
    accounts: 'Accounts',
    devices: (what: string) => `${what} signed in`,
    disabled: (count: string) => `${count} disabled`,
    files: 'Files',
    inFolders: (folders: string) => `in ${folders}`,
    left: (amount: string) => `${amount} free`,
    private: (count: string) => `${count} private`,
    public: 'Public files',
    stored: 'Stored',
  },
  free: 'Free',
  inWeek: (what: string) => `${what} in 7 days`,
  keys: 'API key requests',
  largest: 'Largest files',
  makeKey: 'Create one',
  measure: 'What the chart shows',
  measures: { requests: 'Requests', bytes: 'Sent', notFound: 'Not found' },
  month: 'Last 30 days',
  neverUsed: 'Never used',
  chartsLater: 'Storage, traffic and the files that are requested most appear here.',
  noFiles: 'Nothing is stored yet',
  noKeys: 'You have no API keys.',
  noneYet: 'None yet.',
  nothing: 'You don’t have permission to see anything here',
  ofCapacity: (left: string, capacity: string) => `${left} free of ${capacity}`,
  otherData: 'Other data',
  perDay: (what: string) => `${what} a day`,
  recent: 'Recently added',
  removed: 'Trash and versions',
  sent: (amount: string) => `${amount} sent`,
  storage: 'Storage',
  stored: 'Files',
  top: 'Most requested, 30 days',
  traffic: 'Hosting traffic',
  usedAt: (when: string) => `Last used ${when}`,
  versions: 'Earlier versions',
  volumeParts: ({ stored, removed, other, left }: VolumeParts) =>
    `${stored} files, ${removed ? `${removed} trash and versions, ` : ''}${other} other data, ${left} free`,
})
