import './theme/fonts.css'
import './theme/base.css'
import './theme/mantine.css'
import '@mantine/notifications/styles.layer.css'
import './theme/global.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError, Unreachable } from './api/api-client.ts'
import { keys } from './api/queries.ts'
import { createQueryClient } from './api/query-client.ts'
import { reachability } from './api/reachability.ts'
import { signedOut } from './api/session.ts'
import { sessionEnd } from './api/session-end.ts'
import { createAppRouter } from './routes.tsx'
import { colorSchemeManager, cssVariables, theme } from './theme/theme.ts'

/** Comes after the first page: what is said before waits for it. */
const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }))

const queryClient = createQueryClient({
  signedOut() {
    const { pathname, href } = router.state.location
    if (pathname === '/sign-in' || sessionEnd.isKept) return
    signedOut(queryClient)
    void router.navigate({ to: '/sign-in', search: { to: href } })
  },
  confined() {
    if (router.state.location.pathname === '/two-factor') return
    void queryClient.invalidateQueries({ queryKey: keys.authState })
    void router.navigate({ to: '/two-factor' })
  },
})
const router = createAppRouter(queryClient)

// What was shown while the service was away may be old.
reachability.subscribe(() => {
  if (!reachability.reachable) return
  void queryClient.invalidateQueries()
  void router.invalidate()
})

createRoot(document.getElementById('root')!, {
  // What the service refused or the network lost is on the page, in words; only our own faults belong in the console.
  onCaughtError: (error) => {
    if (!(error instanceof ApiError || error instanceof Unreachable)) console.error(error)
  },
}).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={null}>
          <Notifications position="bottom-right" limit={4} />
        </Suspense>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
