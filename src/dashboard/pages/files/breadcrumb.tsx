import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { lastSegment, parentKey, trailOf } from '../../lib/keys.ts'
import { withMarks } from '../../lib/marks.ts'
import { texts } from '../../texts.ts'
import { dropTarget } from '../../uploads/dragging.ts'

/** Path to a folder. The folder itself is the page's heading. */
export function Breadcrumb({ folder }: { folder: string }) {
  const above = folder === '' ? [] : [{ name: texts.files.root, key: '' }, ...trailOf(parentKey(folder))]
  return (
    <div className="breadcrumb">
      {above.length > 0 && (
        <nav aria-label={texts.files.breadcrumb}>
          <ol>
            {above.map(({ name, key }) => (
              <li key={key}>
                <Link to="/files" search={{ folder: key }} {...dropTarget(key)}>
                  {withMarks(name)}
                </Link>
                <ChevronRight aria-hidden size={16} />
              </li>
            ))}
          </ol>
        </nav>
      )}
      <h1 className="page-title">{withMarks(lastSegment(folder)) || texts.files.root}</h1>
    </div>
  )
}
