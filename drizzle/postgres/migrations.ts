import foundation from './0000_foundation.sql' with { type: 'text' }
import tree from './0001_tree.sql' with { type: 'text' }
import nodes from './0002_nodes.sql' with { type: 'text' }
import throttles from './0003_throttles.sql' with { type: 'text' }
import pieces from './0004_pieces.sql' with { type: 'text' }
import shares from './0005_shares.sql' with { type: 'text' }
import visitorUploads from './0006_visitor_uploads.sql' with { type: 'text' }
import holds from './0007_holds.sql' with { type: 'text' }
import webhooks from './0008_webhooks.sql' with { type: 'text' }
import sentNames from './0009_sent_names.sql' with { type: 'text' }
import lastSeen from './0010_last_seen.sql' with { type: 'text' }
import securityAddresses from './0011_security_addresses.sql' with { type: 'text' }
import folderSizes from './0012_folder_sizes.sql' with { type: 'text' }
import invitations from './0013_invitations.sql' with { type: 'text' }
import quotas from './0014_quotas.sql' with { type: 'text' }
import unfinishedUploads from './0015_unfinished_uploads.sql' with { type: 'text' }
import shareKeys from './0016_share_keys.sql' with { type: 'text' }
import utf8Texts from './0017_utf8_texts.sql' with { type: 'text' }
import folderGrants from './0018_folder_grants.sql' with { type: 'text' }
import signIn from './0019_sign_in.sql' with { type: 'text' }
import replacedBy from './0020_replaced_by.sql' with { type: 'text' }
import objectFacts from './0021_object_facts.sql' with { type: 'text' }
import providerSid from './0022_provider_sid.sql' with { type: 'text' }
import davItems from './0023_dav_items.sql' with { type: 'text' }
import uploadLinks from './0024_upload_links.sql' with { type: 'text' }
import fetches from './0025_fetches.sql' with { type: 'text' }
import sites from './0026_sites.sql' with { type: 'text' }
import purges from './0027_purges.sql' with { type: 'text' }
import davLocks from './0028_dav_locks.sql' with { type: 'text' }
import accountLanguage from './0029_account_language.sql' with { type: 'text' }
import besidePages from './0030_beside_pages.sql' with { type: 'text' }
import siteMisses from './0031_site_misses.sql' with { type: 'text' }
import favorites from './0032_favorites.sql' with { type: 'text' }

/** Every migration of PostgreSQL in order. The table `schema_version` counts how many have been applied: append only. */
export const migrations: readonly string[] = [
  foundation,
  tree,
  nodes,
  throttles,
  pieces,
  shares,
  visitorUploads,
  holds,
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
  besidePages,
  siteMisses,
  favorites,
]
