import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Empty } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { texts } from '../texts.ts'

export function NotFound() {
  return (
    <Page title={texts.notFound.title}>
      <Empty icon={Compass} title={texts.notFound.lead}>
        <p>{texts.notFound.text}</p>
        <Link to="/">{texts.notFound.home}</Link>
      </Empty>
    </Page>
  )
}
