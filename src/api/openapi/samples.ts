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
  visibility: 'public' as const,
  url: 'api/hosting/photos/harbour.jpg',
  createdAt: '2026-11-02 09:30:00',
  updatedAt: '2026-11-02 09:30:00',
}

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
    role: 'editor' as const,
  },
  scopes: ['files:read', 'files:write', 'files:delete', 'api-keys:manage'],
}

export const SHARE = { slug: 'Xq3vT9bLm2Zk', title: 'Photos of the harbour' }

export const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** Samples of fields that mean the same wherever they are. Fields of ids need none. */
export const FIELDS: Record<string, string | number> = {
  name: FILE.name,
  names: FILE.name,
  key: FILE.key,
  folder: FOLDER.key,
  mimeType: FILE.mimeType,
  size: FILE.size,
  length: FILE.size,
  offset: 0,
  sha256: SHA256,
  from: FILE.id,
  replaces: OTHER_ID,
  trashed: FILE.id,
  deleted: FILE.id,
  moved: FILE.id,
  message: 'File not found',
  next: 'WzIsMTc2NDAwMDAwMDAwMCw4XQ',
  date: '2026-11-21',
  requests: 40,
  bytes: 19_284_520,
  email: ACCOUNT.user.email,
  password: 'correct horse battery staple',
  currentPassword: 'correct horse battery staple',
  newPassword: 'a new and longer password',
  token: 'mJ7qX2vK9wTzL4nB8cR1dF6gH3sP5yU0aEiOkNtVxZQ',
  scopes: 'files:read',
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  used: FILE.size,
  available: 52_428_800_000,
  capacity: 107_374_182_400,
  usedBytes: 4_290_772_992,
  quota: 10_737_418_240,
}
