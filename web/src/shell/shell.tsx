// The frame of every page: the rail on the left, the work beside it.
import { Outlet } from '@tanstack/react-router'
import { Rail } from './rail.tsx'
import { ReachabilityBanner } from './reachability-banner.tsx'
import classes from './shell.module.css'

export function Shell() {
  return (
    <div className={classes.shell}>
      <a href="#work" className={classes.skip}>
        Skip to the content
      </a>
      <Rail />
      <div className={classes.column}>
        <ReachabilityBanner />
        <main id="work" tabIndex={-1} className={classes.work}>
          <Outlet />
        </main>
      </div>
    </div>
  )
}
