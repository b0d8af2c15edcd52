// Saves what could not be saved as soon as that is possible again, and says so: the service is back, or somebody has signed in.
import { useEffect, useRef } from 'react'
import { SessionDialog } from '../account/session-dialog.tsx'
import { ApiError, Unreachable } from '../api/api-client.ts'
import { reachability } from '../api/reachability.ts'
import type { EditorState, FlowEditor } from '../flow-model/flow-editor.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { notifyDone } from '../ui/notify.tsx'
import classes from './editor.module.css'

export function SaveWatch({ editor, state: { saving } }: { editor: FlowEditor; state: EditorState }) {
  useEffect(
    () =>
      reachability.subscribe(() => {
        if (reachability.reachable && editor.state.saving.status === 'failed') void editor.flush()
      }),
    [editor],
  )
  const hadFailed = useRef(false)
  useEffect(() => {
    if (saving.status === 'failed') hadFailed.current = true
    if (saving.status !== 'saved' || !hadFailed.current) return
    hadFailed.current = false
    notifyDone('The draft is saved.')
  }, [saving.status])
  const signIn = async () => void (await editor.flush())
  return (
    <>
      <SessionDialog onSignedIn={signIn} />
      {saving.status === 'failed' && !isSignedOut(saving.error) && (
        <div className={classes.failure}>
          <ErrorNote
            title="The draft could not be saved"
            error={saving.error}
            hint={
              saving.error instanceof Unreachable ? 'Your changes are on this page, and are saved then.' : undefined
            }
            onRetry={() => void editor.flush()}
          />
        </div>
      )}
    </>
  )
}

/** The dialog says it. */
const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401
