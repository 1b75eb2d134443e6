import { documented } from '../../api/openapi/described.ts'
import { FILE, KEY } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

/** `GET /api/stats` */
export const getStats = documented('Instance', {
  id: 'getStats',
  summary: 'Get counts, traffic and alerts',
  description:
    'A section is null when the caller may not see it. Days are in UTC, oldest first. New types of alerts may be ' +
    'added: skip unknown ones.',
  returns: {
    description: 'Stored files, traffic, and alerts.',
    examples: {
      'an editor': success({
        files: {
          total: 1,
          folders: 2,
          storage: { used: FILE.size, available: 52_428_800_000, capacity: 107_374_182_400 },
          versions: { count: 1, size: 479_020 },
          types: [{ mimeType: FILE.mimeType, size: FILE.size, count: 1 }],
          largest: [FILE],
          recent: [FILE],
          visibility: { public: { count: 1, size: FILE.size }, private: { count: 0, size: 0 } },
          added: [{ date: '2026-11-02', count: 1, size: FILE.size }],
          trash: { count: 3, size: 1_204_000 },
        },
        apiKeys: {
          total: 1,
          requests: [{ date: '2026-11-21', count: 12 }],
          keys: [{ id: KEY.id, name: KEY.name, requests: 12, lastUsed: KEY.lastUsed, expiresAt: null }],
        },
        hosting: {
          days: [{ date: '2026-11-21', requests: 40, bytes: 19_284_520, notFound: 1 }],
          top: [{ file: FILE, requests: 40, bytes: 19_284_520 }],
        },
        users: null,
        alerts: [{ type: 'uploads-failed', count: 2, latest: '2026-11-20 19:04:11' }],
      }),
    },
  },
})
