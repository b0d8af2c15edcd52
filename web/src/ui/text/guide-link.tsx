// Links to the guide, which the server serves. They open beside the page, so that nothing under way is lost.
import { ActionIcon, Anchor, Tooltip } from '@mantine/core'
import { IconHelp } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** A page of docs/, and a heading of it: "flows#wait". A test holds them to the pages. */
interface GuideProps {
  page: string
}

const hrefOf = (page: string): string => `/docs/${page}`

export function GuideLink({ page, children }: GuideProps & { children: ReactNode }) {
  return (
    <Anchor href={hrefOf(page)} target="_blank" inherit underline="always">
      {children}
    </Anchor>
  )
}

export function GuideIcon({ page, label }: GuideProps & { label: string }) {
  return (
    <Tooltip label={label}>
      <ActionIcon component="a" href={hrefOf(page)} target="_blank" aria-label={label}>
        <IconHelp size={17} />
      </ActionIcon>
    </Tooltip>
  )
}
