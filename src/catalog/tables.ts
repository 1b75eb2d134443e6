import type { Engine } from './engine/engine.ts'
import { integrityQueries } from './instance/integrity.ts'
import { instanceQueries, settingQueries } from './instance/settings.ts'
import { trafficQueries } from './instance/traffic.ts'
import { activityQueries } from './people/activities.ts'
import { apiRequestQueries } from './people/api-requests.ts'
import { attemptQueries } from './people/attempts.ts'
import { authenticatorQueries } from './people/authenticators.ts'
import { deviceCodeQueries } from './people/device-codes.ts'
import { fetchQueries } from './people/fetches.ts'
import { grantQueries } from './people/grants.ts'
import { identityQueries } from './people/identities.ts'
import { invitationQueries } from './people/invitations.ts'
import { keyQueries } from './people/keys.ts'
import { passkeyQueries } from './people/passkeys.ts'
import { quotaQueries } from './people/quotas.ts'
import { recoveryCodeQueries } from './people/recovery-codes.ts'
import { securityEventQueries } from './people/security-events.ts'
import { sessionQueries } from './people/sessions.ts'
import { trustedDeviceQueries } from './people/trusted-devices.ts'
import { userQueries } from './people/users.ts'
import { intentQueries, nameQueries, roomQueries } from './publication.ts'
import { resumableQueries } from './shares/resumables.ts'
import { shareQueries } from './shares/shares.ts'
import { siteQueries } from './shares/sites.ts'
import { uploadLinkQueries } from './shares/upload-links.ts'
import { shareDownloadQueries, shareVisitQueries } from './shares/visits.ts'
import { deliveryQueries, webhookQueries } from './shares/webhooks.ts'
import { blobQueries } from './tree/blobs.ts'
import { bulkQueries } from './tree/bulk.ts'
import { davItemQueries } from './tree/dav-items.ts'
import { davLockQueries } from './tree/dav-locks.ts'
import { favoriteQueries } from './tree/favorites.ts'
import { fileQueries, prepareAccessAt } from './tree/files.ts'
import { type FolderTree, folderQueries } from './tree/folders.ts'
import { listQueries } from './tree/lists.ts'
import { purgeQueries, purgesOf } from './tree/purges.ts'
import { totalQueries } from './tree/totals.ts'
import { trashQueries } from './tree/trash.ts'
import { versionQueries } from './tree/versions.ts'

/** Returns the functions of every table. Each returns a query that has not run. */
export function tablesOf(engine: Engine, tree: FolderTree) {
  const { displacements, ...files } = fileQueries(engine)
  return {
    activities: activityQueries(engine),
    attempts: attemptQueries(engine),
    authenticators: authenticatorQueries(engine),
    securityEvents: securityEventQueries(engine),
    apiRequests: apiRequestQueries(engine),
    blobs: blobQueries(engine),
    bulk: bulkQueries(engine),
    davItems: davItemQueries(engine),
    davLocks: davLockQueries(engine),
    deviceCodes: deviceCodeQueries(engine),
    favorites: favoriteQueries(engine),
    fetches: fetchQueries(engine),
    files,
    folders: folderQueries(engine, tree),
    grants: grantQueries(engine),
    identities: identityQueries(engine),
    instance: instanceQueries(engine),
    integrity: integrityQueries(engine),
    intents: intentQueries(engine),
    invitations: invitationQueries(engine),
    keys: keyQueries(engine),
    lists: listQueries(engine),
    names: nameQueries(engine),
    passkeys: passkeyQueries(engine),
    purges: purgeQueries(engine),
    quotas: { ...quotaQueries(engine), ...roomQueries(engine) },
    recoveryCodes: recoveryCodeQueries(engine),
    resumables: resumableQueries(engine),
    sessions: sessionQueries(engine),
    settings: settingQueries(engine),
    shares: shareQueries(engine),
    shareVisits: shareVisitQueries(engine),
    shareDownloads: shareDownloadQueries(engine),
    sites: siteQueries(engine, purgesOf(engine).ofSite),
    totals: totalQueries(engine),
    traffic: trafficQueries(engine),
    trash: trashQueries(engine),
    trustedDevices: trustedDeviceQueries(engine),
    uploadLinks: uploadLinkQueries(engine),
    users: userQueries(engine),
    versions: versionQueries(engine),
    webhooks: webhookQueries(engine),
    webhookDeliveries: deliveryQueries(engine),
    /** Returns what decides access to the file of this name in the folder at `segments`. */
    accessAt: prepareAccessAt(engine, tree),
    /** Grows whenever a file may have left its place: while it stands still, a name means the same file. */
    displacements,
    /** Returns a body of several queries as one. */
    body: engine.body,
    /** Evicts cached keys of folders: another process may have changed the tree. */
    forgetKeys: () => tree.forgetKeys(),
  }
}
