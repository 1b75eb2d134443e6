import foundation from './0000_foundation.sql' with { type: 'text' }
import listOrders from './0001_list_orders.sql' with { type: 'text' }
import totals from './0002_totals.sql' with { type: 'text' }
import listDirections from './0003_list_directions.sql' with { type: 'text' }
import activityTypes from './0004_activity_types.sql' with { type: 'text' }
import rememberedSessions from './0005_remembered_sessions.sql' with { type: 'text' }
import integrity from './0006_integrity.sql' with { type: 'text' }
import resumables from './0007_resumables.sql' with { type: 'text' }
import securityEvents from './0008_security_events.sql' with { type: 'text' }
import deletedUsers from './0009_deleted_users.sql' with { type: 'text' }
import versions from './0010_versions.sql' with { type: 'text' }
import trash from './0011_trash.sql' with { type: 'text' }
import blobs from './0012_blobs.sql' with { type: 'text' }
import heldIntegrity from './0013_held_integrity.sql' with { type: 'text' }
import shares from './0014_shares.sql' with { type: 'text' }
import visitorUploads from './0015_visitor_uploads.sql' with { type: 'text' }
import webhooks from './0016_webhooks.sql' with { type: 'text' }
import sentNames from './0017_sent_names.sql' with { type: 'text' }
import lastSeen from './0018_last_seen.sql' with { type: 'text' }
import securityAddresses from './0019_security_addresses.sql' with { type: 'text' }
import folderSizes from './0020_folder_sizes.sql' with { type: 'text' }
import invitations from './0021_invitations.sql' with { type: 'text' }
import quotas from './0022_quotas.sql' with { type: 'text' }
import unfinishedUploads from './0023_unfinished_uploads.sql' with { type: 'text' }
import shareKeys from './0024_share_keys.sql' with { type: 'text' }
import utf8Texts from './0025_utf8_texts.sql' with { type: 'text' }
import folderGrants from './0026_folder_grants.sql' with { type: 'text' }
import signIn from './0027_sign_in.sql' with { type: 'text' }
import replacedBy from './0028_replaced_by.sql' with { type: 'text' }
import objectFacts from './0029_object_facts.sql' with { type: 'text' }
import providerSid from './0030_provider_sid.sql' with { type: 'text' }
import davItems from './0031_dav_items.sql' with { type: 'text' }
import uploadLinks from './0032_upload_links.sql' with { type: 'text' }
import fetches from './0033_fetches.sql' with { type: 'text' }
import sites from './0034_sites.sql' with { type: 'text' }
import purges from './0035_purges.sql' with { type: 'text' }
import davLocks from './0036_dav_locks.sql' with { type: 'text' }
import accountLanguage from './0037_account_language.sql' with { type: 'text' }
import siteMisses from './0038_site_misses.sql' with { type: 'text' }
import favorites from './0039_favorites.sql' with { type: 'text' }

/**
 * Every migration in order, as text inside the program, so that a compiled binary needs no folder beside
 * it. The database's `user_version` counts how many have been applied: append only.
 */
export const migrations: readonly string[] = [
  foundation,
  listOrders,
  totals,
  listDirections,
  activityTypes,
  rememberedSessions,
  integrity,
  resumables,
  securityEvents,
  deletedUsers,
  versions,
  trash,
  blobs,
  heldIntegrity,
  shares,
  visitorUploads,
  webhooks,
  sentNames,
  lastSeen,
  securityAddresses,
  folderSizes,
  invitations,
  quotas,
  unfinishedUploads,
  shareKeys,
  utf8Texts,
  folderGrants,
  signIn,
  replacedBy,
  objectFacts,
  providerSid,
  davItems,
  uploadLinks,
  fetches,
  sites,
  purges,
  davLocks,
  accountLanguage,
  siteMisses,
  favorites,
]
