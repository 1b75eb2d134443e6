import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/fields/button.tsx'
import { CodeBlock, CopyField } from '../../components/fields/copy-field.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx'
import { saveText } from '../../lib/save.ts'
import { texts } from '../../texts.ts'
import { type Credentials, shareXFileName, snippets, type Way, waysFor } from './snippets.ts'

interface MadeKeyProps {
  made: { key: string; scopes: readonly string[] }
  onClose: () => void
}

/** Secret of a new API key, shown only once, with examples. */
export function MadeKey({ made, onClose }: MadeKeyProps) {
  return (
    <Dialog title={texts.keys.madeTitle} description={texts.keys.madeText} isKept onClose={onClose}>
      <CopyField label={texts.keys.secret} text={made.key} />
      <Use credentials={{ origin: location.origin, secret: made.key, scopes: made.scopes }} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {texts.keys.done}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Use({ credentials }: { credentials: Credentials }) {
  const [way, setWay] = useState<Way>('curl')
  const code = snippets[way](credentials)
  return (
    <section className="use-key">
      <header>
        <h3>{texts.keys.use}</h3>
        <Segments
          label={texts.keys.use}
          value={way}
          options={waysFor(credentials).map((value) => ({ value, label: texts.keys.ways[value] }))}
          onChoose={setWay}
        />
      </header>
      {way === 'sharex' && (
        <div className="use-sharex">
          <p>{texts.keys.sharexText}</p>
          <Button icon={Download} onClick={() => saveText(shareXFileName(credentials), code)}>
            {texts.keys.sharexFile}
          </Button>
        </div>
      )}
      <CodeBlock label={texts.keys.snippet(texts.keys.ways[way])} code={code} />
    </section>
  )
}
