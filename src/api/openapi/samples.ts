/** Id in examples. */
export const EXAMPLE_ID = '019a2f3c-7b1e-7c44-9d0a-5e2f6b8c1d37'

/** Sample file of the examples. */
export const FILE = {
  id: EXAMPLE_ID,
  name: 'harbour.jpg',
  key: 'photos/harbour.jpg',
  mimeType: 'image/jpeg',
  size: 482_113,
  folderId: '019a2f3b-10aa-7d52-8f6e-3c9b7a4e2d10',
  visibility: 'public',
  url: 'api/hosting/photos/harbour.jpg',
  createdAt: '2026-11-02 09:30:00',
  updatedAt: '2026-11-02 09:30:00',
}

export const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

export const FOLDER = {
  id: FILE.folderId,
  name: 'photos',
  key: 'photos',
  parentId: '019a2f00-0000-7000-8000-0d4c9e1b7a52',
  createdAt: '2026-11-02 09:29:00',
  updatedAt: '2026-11-02 09:29:00',
}

export const OTHER_ID = '019a2f4d-22c8-7f90-b1d3-7a6c5e4f3b21'

export const ACCOUNT = {
  user: {
    id: '019a2f01-5a3c-7e8b-a2d4-9c1f0b6e7d88',
    name: 'Ada',
    email: 'ada@example.com',
    image: null,
    role: 'editor',
  },
  scopes: ['files:read', 'files:write', 'files:delete', 'api-keys:manage'],
}

export const USER = {
  id: ACCOUNT.user.id,
  name: 'Ada',
  email: 'ada@example.com',
  role: 'editor',
  scopes: ACCOUNT.scopes,
  customScopes: [],
  disabled: false,
  apiKeys: 1,
  createdAt: '2026-11-01T08:00:00.000Z',
}

export const INVITATION = {
  id: '019a2f58-4d6c-7a1e-8b3f-6c7d8e9f0a1b',
  email: USER.email,
  role: 'editor',
  customScopes: [],
  note: 'the new photographer',
  state: 'open',
  createdBy: { id: '019a2f00-9b8a-7c6d-8e5f-4a3b2c1d0e9f', name: 'Grace' },
  createdAt: '2026-11-01T07:00:00.000Z',
  expiresAt: '2026-11-08T07:00:00.000Z',
  usedBy: null,
  usedAt: null,
}

export const INVITATION_TOKEN = 'mJ7qX2vK9wTzL4nB8cR1dF6gH3sP5yU0aEiOkNtVxZQ'

/** Sample of the storage of an account. */
export const STORAGE = { usedBytes: 4_290_772_992, quota: 10_737_418_240 }

export const KEY = {
  id: '019a2f5e-8f01-7b3d-9e44-1d2c3b4a5f60',
  name: 'backup script',
  scopes: ['files:read', 'files:write'],
  createdAt: '2026-11-03T10:00:00.000Z',
  lastUsed: '2026-11-21T03:00:00.000Z',
  expiresAt: null,
}

export const SHARE = {
  id: '019a2f70-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  slug: 'Xq3vT9bLm2Zk',
  userId: ACCOUNT.user.id,
  title: 'Photos of the harbour',
  note: null,
  canRead: true,
  canWrite: false,
  hasPassword: true,
  expiresAt: '2026-12-01T00:00:00.000Z',
  maxDownloads: 3,
  downloads: 1,
  folderId: null,
  folderName: null,
  maxFiles: null,
  maxBytes: null,
  types: null,
  receivedFiles: 0,
  receivedBytes: 0,
  notify: null,
  items: [{ fileId: FILE.id, name: FILE.name }],
  url: 's/Xq3vT9bLm2Zk',
  createdAt: '2026-11-03T10:00:00.000Z',
  updatedAt: '2026-11-03T10:00:00.000Z',
}

export const WEBHOOK = {
  id: '019a2f80-3b5d-7c6e-9f10-2a3b4c5d6e7f',
  name: 'team chat',
  url: 'https://hooks.example.com/holdfast',
  events: ['upload.completed', 'integrity.failed'],
  forShares: true,
  enabled: true,
  createdAt: '2026-11-03T10:00:00.000Z',
  updatedAt: '2026-11-03T10:00:00.000Z',
}

export const WEBHOOK_SECRET = `whsec_${'QUJD'.repeat(10)}QUI=`

export const DELIVERY = {
  id: '019a2f81-7e8f-7a0b-8c1d-3e4f5a6b7c8d',
  type: 'upload.completed',
  state: 'delivered',
  attempts: 1,
  status: 204,
  error: null,
  createdAt: '2026-11-03T11:00:00.000Z',
  nextAt: null,
}

export const API_KEY = `hf_${'0123456789abcdef'.repeat(4)}`

export const SESSION = {
  id: '019a2f02-4c11-7a9e-8b57-6f5e4d3c2b1a',
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  createdAt: '2026-11-20T18:00:00.000Z',
  current: true,
}

export const SETTINGS = {
  defaultVisibility: 'public',
  visibilityCounts: { public: 120, private: 34 },
  limits: {
    maxUploadSize: 5_368_709_120,
    defaultPresignTtl: 3600,
    maxPresignTtl: 604_800,
    hostingCacheMaxAge: 0,
    activityRetentionDays: 90,
    apiRequestRetentionDays: 90,
  },
  trashDays: 30,
  versionDays: 30,
}

const AUTH_USER = {
  ...ACCOUNT.user,
  emailVerified: false,
  createdAt: '2026-11-01T08:00:00.000Z',
  updatedAt: '2026-11-01T08:00:00.000Z',
}

export const SIGNED_IN = { token: 'b0a1…', user: AUTH_USER }

export const OPEN_SESSION = {
  session: {
    id: SESSION.id,
    userId: AUTH_USER.id,
    expiresAt: '2026-11-27T18:00:00.000Z',
    createdAt: SESSION.createdAt,
    updatedAt: SESSION.createdAt,
    ipAddress: SESSION.ipAddress,
    userAgent: SESSION.userAgent,
  },
  user: AUTH_USER,
}

export const PASSWORD = 'correct horse battery staple'

export const SECURITY_ENTRY = {
  id: OTHER_ID,
  type: 'sign-in.failed',
  target: ACCOUNT.user.email,
  detail: null,
  createdAt: FILE.createdAt,
  userId: ACCOUNT.user.id,
  actorId: null,
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
}
