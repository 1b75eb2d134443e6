import { activityQueries } from './activities.ts'
import { apiRequestQueries } from './api-requests.ts'
import { blobQueries } from './blobs.ts'
import { bulkQueries } from './bulk.ts'
import type { Watch } from './change-notes.ts'
import type { Engine } from './engine.ts'
import { fileQueries, prepareAccessAt } from './files.ts'
import type { FolderTree } from './folder-cache.ts'
import { folderQueries } from './folders.ts'
import { instanceQueries } from './instance.ts'
import { integrityQueries } from './integrity.ts'
import { invitationQueries } from './invitations.ts'
import { keyQueries } from './keys.ts'
import { listQueries } from './lists.ts'
import { intentQueries, nameQueries, roomQueries } from './publication.ts'
import { quotaQueries } from './quotas.ts'
import { resumableQueries } from './resumables.ts'
import type { Notes } from './search/changed-rows.ts'
import { securityEventQueries } from './security-events.ts'
import { sessionQueries } from './sessions.ts'
import { settingQueries } from './settings.ts'
import { shareDownloadQueries, shareVisitQueries } from './share-visits.ts'
import { shareQueries } from './shares.ts'
import { totalQueries } from './totals.ts'
import { trafficQueries } from './traffic.ts'
import { trashQueries } from './trash.ts'
import { userQueries } from './users.ts'
import { versionQueries } from './versions.ts'
import { deliveryQueries, webhookQueries } from './webhooks.ts'

/** Returns the functions of every table. Each returns a query that has not run. */
export function tablesOf(engine: Engine, tree: FolderTree, notes?: Notes, watch?: Watch) {
  const { displacements, ...files } = fileQueries(engine, notes, watch)
  return {
    activities: activityQueries(engine),
    securityEvents: securityEventQueries(engine),
    apiRequests: apiRequestQueries(engine),
    blobs: blobQueries(engine),
    bulk: bulkQueries(engine, notes, watch),
    files,
    folders: folderQueries(engine, tree, notes, watch),
    instance: instanceQueries(engine),
    integrity: integrityQueries(engine),
    intents: intentQueries(engine),
    invitations: invitationQueries(engine),
    keys: keyQueries(engine, watch),
    lists: listQueries(engine),
    names: nameQueries(engine),
    quotas: { ...quotaQueries(engine, watch), ...roomQueries(engine) },
    resumables: resumableQueries(engine),
    sessions: sessionQueries(engine),
    settings: settingQueries(engine),
    shares: shareQueries(engine, watch),
    shareVisits: shareVisitQueries(engine),
    shareDownloads: shareDownloadQueries(engine),
    totals: totalQueries(engine),
    traffic: trafficQueries(engine),
    trash: trashQueries(engine),
    users: userQueries(engine, watch),
    versions: versionQueries(engine),
    webhooks: webhookQueries(engine),
    webhookDeliveries: deliveryQueries(engine),
    /** Returns what decides access to the file of this name in the folder at `segments`. */
    accessAt: prepareAccessAt(engine, tree),
    /** Grows whenever a file may have left its place: while it stands still, a name means the same file. */
    displacements,
    /** Evicts cached keys of folders: another process may have changed the tree. */
    forgetKeys: () => tree.forgetKeys(),
  }
}
