import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/fields/button.tsx'
import { CodeBlock, CopyField } from '../../components/fields/copy-field.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { DialogActions } from '../../components/overlays/dialog-actions.tsx'
import { saveText } from '../../lib/save.ts'
import { keyTexts } from '../../texts/keys.ts'
import { type Credentials, shareXFileName, snippets, type Way, waysFor } from './snippets.ts'

interface MadeKeyProps {
  made: { key: string; scopes: readonly string[] }
  onClose: () => void
}

/** Secret of a new API key, shown only once, with examples. */
export function MadeKey({ made, onClose }: MadeKeyProps) {
  return (
    <Dialog title={keyTexts.madeTitle} description={keyTexts.madeText} isKept onClose={onClose}>
      <CopyField label={keyTexts.secret} text={made.key} />
      <Use credentials={{ origin: location.origin, secret: made.key, scopes: made.scopes }} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {keyTexts.done}
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
        <h3>{keyTexts.use}</h3>
        <Segments
          label={keyTexts.use}
          value={way}
          options={waysFor(credentials).map((value) => ({ value, label: keyTexts.ways[value] }))}
          onChoose={setWay}
        />
      </header>
      {way === 'sharex' && (
        <div className="use-sharex">
          <p>{keyTexts.sharexText}</p>
          <Button icon={Download} onClick={() => saveText(shareXFileName(credentials), code)}>
            {keyTexts.sharexFile}
          </Button>
        </div>
      )}
      <CodeBlock label={keyTexts.snippet(keyTexts.ways[way])} code={code} />
    </section>
  )
}
