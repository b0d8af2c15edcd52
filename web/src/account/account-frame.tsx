// The frame of the pages before sign-in.
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Mark } from '../brand/mark.tsx'
import { useWindowTitle } from '../shell/page-header.tsx'
import { ReachabilityBanner } from '../shell/reachability-banner.tsx'
import classes from './account-frame.module.css'

interface AccountFrameProps {
  title: string
  lead?: ReactNode
  children: ReactNode
}

export function AccountFrame({ title, lead, children }: AccountFrameProps) {
  useWindowTitle(title)
  return (
    <div className={classes.page}>
      <ReachabilityBanner />
      <main className={classes.main}>
        <div className={classes.brand}>
          <Mark size={28} />
          <span>Millrace</span>
        </div>
        <div className={classes.card}>
          <Stack gap="md">
            <div>
              <Title order={1}>{title}</Title>
              {lead && (
                <Text size="sm" c="dimmed" mt={4} component="div">
                  {lead}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </div>
      </main>
    </div>
  )
}
