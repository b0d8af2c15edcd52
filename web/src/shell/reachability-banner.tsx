import { Button } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { reachability, useReachable } from '../api/reachability.ts'
import classes from './reachability-banner.module.css'

export function ReachabilityBanner() {
  const reachable = useReachable()
  return (
    <div role="status">
      {!reachable && (
        <div className={classes.banner}>
          <IconPlugConnectedX size={16} aria-hidden="true" />
          <span>Millrace is not responding; trying again. This page may be out of date.</span>
          <Button size="xs" variant="default" onClick={reachability.ask}>
            Try now
          </Button>
        </div>
      )}
    </div>
  )
}
