import * as T from 'typebox'
import { PasswordField } from '../../access/profile.ts'
import { EXAMPLE_ID, FOLDER } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named, nullable, queryParameters } from '../../api/schema.ts'
import type { Config } from '../../platform/config.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { SiteRow } from '../../store/rows.ts'
import type { RuleProblem } from './rule-files.ts'

/** Maximum domains of one site. */
const MAX_DOMAINS = 20

const SiteView = named(
  'Site',
  T.Object({
    id: T.String(),
    name: T.String({ description: 'Label of its host below `SITES_DOMAIN`.' }),
    folderId: T.String(),
    folder: nullable(
      T.String({ description: 'Key of the folder; null for one that was deleted, whose site is 404.' }),
    ),
    domains: T.Array(T.String(), { description: 'Its other hosts, in ASCII.' }),
    reached: T.Array(T.String(), {
      description: 'Those of its domains at which a request has arrived since this server started.',
    }),
    hasPassword: T.Boolean(),
    spa: T.Boolean({ description: 'True when pages that do not exist show the start page.' }),
    problems: T.Array(
      T.Object({
        file: T.Union([T.Literal('_headers'), T.Literal('_redirects')]),
        line: T.Integer({ description: 'Number of the line, from 1; 0 for the whole file.' }),
        message: T.String(),
      }),
      { description: 'Lines of its rules that have no effect.' },
    ),
    url: nullable(T.String({ description: 'Address of its start page; null while sites are off.' })),
    expiresAt: nullable(IsoTime),
    createdAt: IsoTime,
    updatedAt: IsoTime,
  }),
  {
    id: EXAMPLE_ID,
    name: 'www',
    folderId: FOLDER.id,
    folder: FOLDER.key,
    domains: ['www.example.org'],
    reached: ['www.example.org'],
    hasPassword: false,
    spa: false,
    problems: [{ file: '_redirects', line: 3, message: 'The status cannot be "201"' }],
    url: 'https://www.example-sites.net/',
    expiresAt: null,
    createdAt: '2026-11-03T10:00:00.000Z',
    updatedAt: '2026-11-03T10:00:00.000Z',
  },
)

export const SiteAnswer = envelope(T.Object({ site: SiteView }))
export const SitesAnswer = envelope(
  T.Object({
    sites: T.Array(SiteView),
    domain: nullable(
      T.String({
        description: 'Domain below which the hosts of sites are; null while sites are off.',
        examples: ['example-sites.net'],
      }),
    ),
  }),
)

const fields = {
  name: T.String({
    description: '1 to 63 of a-z, 0-9 and hyphens inside. That of a preview has two in a row: `www--pr-12`.',
    examples: ['www'],
  }),
  domains: T.Optional(T.Array(T.String({ examples: ['www.example.org'] }), { maxItems: MAX_DOMAINS })),
  spa: T.Optional(T.Boolean()),
  password: T.Optional(nullable(PasswordField)),
  expiresAt: T.Optional(
    T.String({
      description: 'Time at which a preview ends with its folder; only for previews, which have one.',
    }),
  ),
}
export const CreateBody = jsonBody(
  T.Object({
    folderId: T.Optional(T.String({ description: 'Id of the folder.', examples: [FOLDER.id] })),
    folder: T.Optional(T.String({ description: 'Key of the folder, in place of its id.' })),
    ...fields,
  }),
)
export type CreateSite = T.Static<typeof CreateBody.schema>
export const ChangeBody = jsonBody(T.Object({ id: T.String(), ...fields, name: T.Optional(fields.name) }))
export type ChangeSite = T.Static<typeof ChangeBody.schema>
export const SignBody = jsonBody(
  T.Object({ id: T.String(), expiresIn: T.Optional(T.Number({ description: 'In seconds.' })) }),
)
export type SignSite = T.Static<typeof SignBody.schema>
export const SignedAnswer = envelope(
  T.Object({
    url: T.String({
      examples: ['https://www.example-sites.net/.holdfast/open?exp=1764547200&sig=3q2-7wEBAgM&to=/'],
    }),
    expiresAt: IsoTime,
  }),
)
export const MissesAnswer = envelope(
  T.Object({
    misses: T.Array(
      T.Object({
        path: T.String({ description: 'As sent, without its query.', examples: ['/old-page'] }),
        count: T.Integer({ description: 'Requests since it was first missed.', examples: [12] }),
        lastAt: IsoTime,
      }),
    ),
  }),
)
export const MissesQuery = queryParameters(
  T.Object({ id: T.String({ description: 'Id of the site.', examples: [EXAMPLE_ID] }) }),
)
export const IdBody = jsonBody(T.Object({ id: T.String() }))
export const AskQuery = queryParameters(
  T.Object({ domain: T.String({ description: 'Host name.', examples: ['www.example.org'] }) }),
)

/** Returns true for a preview of a site. */
export const isPreview = (site: Pick<SiteRow, 'name'>): boolean => previewedBy(site) !== site.name

/** Returns the name of the site that a preview is of; that of any other site itself. */
export const previewedBy = ({ name }: Pick<SiteRow, 'name'>): string => name.split('--', 1)[0] ?? name

type Addresses = Pick<Config, 'sitesDomain' | 'baseUrl'>

/** Returns the address of a site's start page; null while sites are off. */
export function urlOfSite(
  { sitesDomain, baseUrl }: Addresses,
  { name }: Pick<SiteRow, 'name'>,
): string | null {
  if (sitesDomain === undefined) return null
  const url = new URL(baseUrl)
  url.hostname = `${name}.${sitesDomain}`
  return url.href
}

/** Returns a site as the API shows it. */
export function siteView(
  config: Addresses,
  { passwordHash, expiresAt, ...site }: SiteRow,
  more: { folder: string | undefined; problems: RuleProblem[]; isReached: (domain: string) => boolean },
): T.Static<typeof SiteView> {
  return {
    ...site,
    folder: more.folder ?? null,
    problems: more.problems,
    reached: site.domains.filter(more.isReached),
    hasPassword: passwordHash !== null,
    url: urlOfSite(config, site),
    expiresAt: isoOrNull(expiresAt),
    createdAt: iso(site.createdAt),
    updatedAt: iso(site.updatedAt),
  }
}
