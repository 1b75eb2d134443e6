import { useState } from 'react'
import { changeSite, createSite, type Site } from '../../../api/sites.ts'
import { NewPasswordField } from '../../../components/fields/account-fields.tsx'
import { CheckField, TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { toast } from '../../../components/overlays/toast.tsx'
import { siteTexts as words } from '../../../texts/site.ts'
import type { FolderItem } from '../items.ts'

interface SiteFormProps {
  folder: FolderItem
  /** Website that the form changes; undefined for a new one. */
  site?: Site
  /** Domain below which the addresses of websites are. */
  domain: string
}

/** Form with the name and the rules of a website. */
export function SiteForm({ folder, site, domain }: SiteFormProps) {
  const [name, setName] = useState(site?.name ?? nameFor(folder.name))
  const [asks, setAsks] = useState(site?.hasPassword ?? false)
  const save = useFormMutation({
    mutationFn: (form: FormData) => {
      const password = String(form.get('password') ?? '')
      const domains = String(form.get('domains')).split(/[\s,]+/)
      const fields = {
        ...{ name, domains: domains.filter(Boolean), spa: form.get('spa') !== null },
        // An empty field keeps the password.
        ...(asks ? password !== '' && { password } : { password: null }),
      }
      return site ? changeSite(site.id, fields) : createSite({ folderId: folder.id, ...fields })
    },
    onSuccess: () => toast.done(site ? words.saved : words.created),
  })
  return (
    <Form mutation={save} action={site ? words.save : words.create} onSubmit={(form) => save.mutate(form)}>
      <TextField
        label={words.name}
        hint={words.nameHint(`${name}.${domain}`)}
        name="name"
        value={name}
        pattern="[a-z0-9]+(-{1,2}[a-z0-9]+)*"
        title={words.nameTitle}
        {...PLAIN}
        maxLength={63}
        required
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={words.domains}
        hint={words.domainsHint}
        name="domains"
        defaultValue={site?.domains.join(' ')}
        {...PLAIN}
      />
      <CheckField label={words.spa} name="spa" defaultChecked={site?.spa} />
      <CheckField
        label={words.askPassword}
        checked={asks}
        onChange={(event) => setAsks(event.target.checked)}
      />
      {asks && (
        <NewPasswordField
          // Empty again once it is saved
          key={site?.updatedAt}
          label={words.password}
          name="password"
          required={!site?.hasPassword}
          {...(site?.hasPassword && { hint: words.keepPassword })}
        />
      )}
    </Form>
  )
}

const PLAIN = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: 'false' } as const

/** Returns a name for the website of a folder. */
const nameFor = (folder: string): string =>
  folder
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-|-$/g, '')
