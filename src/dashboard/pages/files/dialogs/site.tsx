import { useMutation } from '@tanstack/react-query'
import { ExternalLink, KeyRound, Trash2, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { TrashItem } from '../../../../client/index.ts'
import {
  goBack,
  removeSite,
  type Site,
  signSite,
  useFolderVersions,
  useMisses,
  useSites,
} from '../../../api/sites.ts'
import { Button } from '../../../components/fields/button.tsx'
import { CodeBlock, CopyField } from '../../../components/fields/copy-field.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { ConfirmChange } from '../../../components/overlays/confirm.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatDistance, formatMoment, withMarks } from '../../../lib/format.ts'
import { siteTexts as words } from '../../../texts/site.ts'
import type { FolderItem } from '../items.ts'
import { useItemRights } from '../rights.ts'
import { SiteForm } from './site-form.tsx'

interface SiteProps {
  folder: FolderItem
  onClose: () => void
}

/** Websites that show a folder, or the form that makes one. */
export default function SitePanel({ folder, onClose }: SiteProps) {
  const { data, error, refetch } = useSites()
  // A version that takes the folder's place has another id.
  const own = data?.sites.filter((site) => site.folder === folder.key) ?? []
  return (
    <Dialog title={words.title(folder.name)} description={words.lead} size="side" onClose={onClose}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Loading />}
      {own.map((site) => (
        <OneSite
          key={site.id}
          site={site}
          sites={data?.sites ?? []}
          folder={folder}
          domain={data?.domain ?? ''}
        />
      ))}
      {data?.domain != null && own.length === 0 && <SiteForm folder={folder} domain={data.domain} />}
    </Dialog>
  )
}

interface OneSiteProps {
  site: Site
  sites: readonly Site[]
  folder: FolderItem
  domain: string
}

function OneSite({ site, sites, folder, domain }: OneSiteProps) {
  const [isRemoving, setRemoving] = useState(false)
  const previews = sites.filter(({ name }) => name.startsWith(`${site.name}--`))
  return (
    <div className="column gap-5">
      <Address site={site} />
      <SiteForm site={site} folder={folder} domain={domain} />
      <Domains site={site} />
      <Part title={words.problems} isThere={site.problems.length > 0}>
        <ul className="column gap-2">
          {site.problems.map(({ file, line, message }) => (
            <li key={`${file} ${line}`} className="row danger">
              {withMarks(words.problem(file, line, message))}
            </li>
          ))}
        </ul>
      </Part>
      <FolderVersions site={site} folder={folder} />
      <Part title={words.previews} isThere={previews.length > 0}>
        <ul className="column gap-2">
          {previews.map(({ id, name, url, expiresAt }) => (
            <li key={id} className="row wrap apart gap-2">
              <a href={url ?? undefined} target="_blank" rel="noreferrer">
                {name}
              </a>
              {expiresAt !== null && <small>{words.until(formatMoment(expiresAt))}</small>}
            </li>
          ))}
        </ul>
      </Part>
      <Misses site={site} />
      <div>
        <Button look="quiet" icon={Trash2} onClick={() => setRemoving(true)}>
          {words.remove}
        </Button>
      </div>
      {isRemoving && (
        <ConfirmChange
          title={words.removeTitle(site.name)}
          action={words.remove}
          change={() => removeSite(site.id)}
          done={words.removed}
          onClose={() => setRemoving(false)}
        >
          {words.removeText}
        </ConfirmChange>
      )}
    </div>
  )
}

/** Part of the panel that is only there with something to show. */
const Part = ({ title, isThere, children }: { title: string; isThere: boolean; children: ReactNode }) =>
  isThere && (
    <section className="column gap-2 small" aria-label={title}>
      <h3 className="medium">{title}</h3>
      {children}
    </section>
  )

function Address({ site: { id, url, hasPassword, expiresAt } }: { site: Site }) {
  const sign = useMutation({ mutationFn: () => signSite(id) })
  return (
    <div className="column gap-3">
      <CopyField label={words.address} text={url ?? ''} />
      <div className="row wrap gap-3">
        <a href={url ?? undefined} target="_blank" rel="noreferrer">
          {words.open} <ExternalLink aria-hidden size={14} />
        </a>
        {hasPassword && (
          <Button look="quiet" icon={KeyRound} isBusy={sign.isPending} onClick={() => sign.mutate()}>
            {words.link}
          </Button>
        )}
      </div>
      {sign.data && hasPassword && (
        <>
          <CopyField label={words.link} text={sign.data.url} />
          <p className="note">{words.linkText(formatMoment(sign.data.expiresAt))}</p>
        </>
      )}
      {expiresAt !== null && <p className="note">{words.ends(formatMoment(expiresAt))}</p>}
    </div>
  )
}

/** Domains of a website, with what DNS and a proxy need for them. */
function Domains({ site: { domains, reached, url } }: { site: Site }) {
  const host = url === null ? '' : new URL(url).hostname
  const linesFor = (lineOf: (name: string) => string) => domains.map(lineOf).join('\n')
  return (
    <Part title={words.ownDomains} isThere={domains.length > 0}>
      <ul className="column gap-2">
        {domains.map((name) => (
          <li key={name} className="row wrap apart gap-2">
            {name}
            <small>{reached.includes(name) ? words.isReached : words.isAwaited}</small>
          </li>
        ))}
      </ul>
      <CodeBlock label={words.dns} code={linesFor((name) => `${name}. CNAME ${host}.`)} />
      <p className="note">{words.dnsText}</p>
      <CodeBlock
        label={words.proxy}
        code={linesFor((name) => `${name} {\n  reverse_proxy localhost:3000\n}`)}
      />
      <p className="note">{words.proxyText}</p>
    </Part>
  )
}

/** Versions of the website that were replaced, as long as the trash has them. */
function FolderVersions({ site, folder }: { site: Site; folder: FolderItem }) {
  const { data = [] } = useFolderVersions(folder.key)
  const { mayWrite, mayDelete } = useItemRights([folder])
  const [chosen, setChosen] = useState<TrashItem>()
  return (
    <Part title={words.versions} isThere={data.length > 0}>
      <ul className="column gap-2">
        {data.map((version) => (
          <li key={version.id} className="row apart gap-2">
            <span title={formatMoment(version.deletedAt)}>
              {words.replaced(formatDistance(version.deletedAt))}
            </span>
            {mayWrite && mayDelete && (
              <Button
                look="quiet"
                icon={Undo2}
                aria-label={words.goBackTo(formatMoment(version.deletedAt))}
                onClick={() => setChosen(version)}
              >
                {words.goBack}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {chosen && (
        <ConfirmChange
          title={words.goBackTitle}
          action={words.goBack}
          change={() => goBack(chosen, site)}
          done={words.wentBack}
          onClose={() => setChosen(undefined)}
        >
          {words.goBackText}
        </ConfirmChange>
      )}
    </Part>
  )
}

/** Returns a path as people read it, or as it was sent if it cannot be decoded. */
function readable(path: string): string {
  try {
    return withMarks(decodeURI(path))
  } catch {
    return path
  }
}

/** Paths that are shown before the others are asked for. */
const FIRST_MISSES = 10

function Misses({ site }: { site: Site }) {
  const { data = [] } = useMisses(site.id)
  const [isWhole, setWhole] = useState(false)
  return (
    <Part title={words.misses} isThere={data.length > 0}>
      <p className="note">{words.missesText}</p>
      <ul className="column gap-2">
        {data.slice(0, isWhole ? undefined : FIRST_MISSES).map(({ path, count, lastAt }) => (
          <li key={path} className="row gap-3">
            <code className="grow cut" title={path}>
              {readable(path)}
            </code>
            <span className="digits rigid">{words.times(count)}</span>
            <small className="rigid" title={formatMoment(lastAt)}>
              {formatDistance(lastAt)}
            </small>
          </li>
        ))}
      </ul>
      {data.length > FIRST_MISSES && !isWhole && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          {words.all(data.length)}
        </Button>
      )}
    </Part>
  )
}
