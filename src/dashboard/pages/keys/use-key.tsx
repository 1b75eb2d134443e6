import { Download, Eye } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ApiKey } from '../../api/accounts.ts'
import { showS3 } from '../../api/ways-in.ts'
import { Button, Done } from '../../components/fields/button.tsx'
import { CodeBlock } from '../../components/fields/copy-field.tsx'
import { useFormMutation } from '../../components/fields/form.tsx'
import { Segments } from '../../components/fields/select.tsx'
import { FormError } from '../../components/notice.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { keyTexts } from '../../texts/keys.ts'
import { type Credentials, shareXFileName, snippets, type Way, waysFor } from './snippets.ts'

interface UseKeyProps {
  apiKey: ApiKey
  onClose: () => void
}

/**
 * Settings of programs for an API key that was created before. Its own secret is stored as a hash, so they have a blank for
 * it; that for S3 is derived and can be shown again.
 */
export function UseKey({ apiKey: { id, name, scopes }, onClose }: UseKeyProps) {
  const shown = useFormMutation({ mutationFn: () => showS3(id) })
  const s3 = shown.data ?? { accessKeyId: id.replaceAll('-', ''), secretAccessKey: keyTexts.s3Blank }
  return (
    <Dialog title={keyTexts.settingsTitle(name)} description={keyTexts.settingsText} onClose={onClose}>
      <Use credentials={{ origin: location.origin, scopes, s3 }}>
        {!shown.data && (
          <Button icon={Eye} isBusy={shown.isPending} onClick={() => shown.mutate()}>
            {keyTexts.showS3}
          </Button>
        )}
        <FormError error={shown.error} />
      </Use>
      <Done onClose={onClose} />
    </Dialog>
  )
}

interface UseProps {
  /** Without the secret of an API key that was created before. */
  credentials: Omit<Credentials, 'secret'> & Partial<Pick<Credentials, 'secret'>>
  /** Shows beside the settings for S3. */
  children?: ReactNode
}

/** Settings of programs for an API key, ready to paste. */
export function Use({ credentials: { secret, ...others }, children }: UseProps) {
  const [way, setWay] = useState<Way>('curl')
  const credentials = { ...others, secret: secret ?? keyTexts.blank }
  const code = snippets[way](credentials)
  return (
    <section className="use-key stack fit gap-3">
      <header className="row wrap apart">
        <h3 className="small medium">{keyTexts.use}</h3>
        <Segments
          label={keyTexts.use}
          value={way}
          options={waysFor(credentials).map((value) => ({ value, label: keyTexts.ways[value] }))}
          onChoose={setWay}
        />
      </header>
      {way === 's3' && (
        <div className="stack own-width gap-3">
          <p className="note">{keyTexts.s3Text}</p>
          {children}
        </div>
      )}
      {way === 'webdav' && <p className="note">{keyTexts.webdavText}</p>}
      {way === 'sharex' && (
        <div className="stack own-width gap-3">
          <p className="note">{secret === undefined ? keyTexts.sharexBlank : keyTexts.sharexText}</p>
          {secret !== undefined && (
            <Button icon={Download} onClick={() => saveText(shareXFileName(credentials), code)}>
              {keyTexts.sharexFile}
            </Button>
          )}
        </div>
      )}
      <CodeBlock label={keyTexts.snippet(keyTexts.ways[way])} code={code} />
    </section>
  )
}

/** Saves text as a file. */
export function saveText(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = `data:application/octet-stream,${encodeURIComponent(text)}`
  link.download = name
  link.click()
}
