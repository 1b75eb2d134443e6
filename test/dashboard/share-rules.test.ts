import { expect, test } from 'bun:test'
import type { Share } from '../../src/client/index.ts'
import { fieldsOf, newRules, rulesOf } from '../../src/dashboard/shares/rules.ts'

const SHARE: Share = {
  id: 'share',
  slug: 'two-letters',
  userId: 'ada',
  title: 'Letters',
  note: null,
  canRead: true,
  canWrite: true,
  hasPassword: true,
  expiresAt: '2030-03-05T10:20:30.000Z',
  maxDownloads: 3,
  downloads: 1,
  folderId: 'inbox',
  folderName: 'inbox',
  maxFiles: null,
  maxBytes: 3 * 1024 ** 2,
  types: ['image/*', '.pdf'],
  receivedFiles: 0,
  receivedBytes: 0,
  reservedFiles: 0,
  reservedBytes: 0,
  unfinishedBytes: 0,
  notify: null,
  items: [{ folderId: 'inbox', name: 'inbox' }],
  url: 's/two-letters',
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
}

test('a form that changes nothing keeps every rule, and sends neither expiry nor password', () => {
  const rules = rulesOf(SHARE)

  expect(fieldsOf(rules, 'inbox', rules)).toEqual({
    title: 'Letters',
    note: null,
    slug: 'two-letters',
    canRead: true,
    canWrite: true,
    folderId: 'inbox',
    maxDownloads: 3,
    maxFiles: null,
    maxBytes: 3 * 1024 ** 2,
    types: ['image/*', '.pdf'],
  })
})

test('a form removes a password, an expiry, a limit and a webhook', () => {
  const before = { ...rulesOf(SHARE), notify: 'hook' }
  const rules = { ...before, hasPassword: false, lifetime: 'never' as const, maxDownloads: '', notify: '' }

  const removed = { password: null, expiresAt: null, maxDownloads: null, notify: null }
  expect(fieldsOf(rules, 'inbox', before)).toMatchObject(removed)
})

test('a new share has no rules, and a random link', () => {
  expect(fieldsOf(newRules('read'), undefined)).toEqual({
    title: null,
    note: null,
    canRead: true,
    canWrite: false,
    maxDownloads: null,
    maxFiles: null,
    maxBytes: null,
    types: null,
    password: null,
    expiresAt: null,
  })
})
