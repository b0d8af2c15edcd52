// Asks for the password over a page that holds unsaved work, once the session has ended.
import { Modal, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queries } from '../api/queries.ts'
import { useUser } from '../api/session.ts'
import { sessionEnd, useSessionEnded } from '../api/session-end.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Keeps the page that shows it. `onSignedIn` is called once there is a session again. */
export function SessionDialog({ onSignedIn }: { onSignedIn: () => Promise<void> }) {
  const queryClient = useQueryClient()
  const user = useUser()
  const ended = useSessionEnded()
  const [email, setEmail] = useState('')
  useEffect(() => sessionEnd.keep(), [])
  useEffect(() => {
    if (user) setEmail(user.email)
  }, [user])
  const goOn = async () => {
    await queryClient.fetchQuery({ ...queries.authState, staleTime: 0 })
    sessionEnd.begun()
    await onSignedIn()
    await queryClient.invalidateQueries()
  }
  return (
    <Modal
      opened={ended || user === null}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title="Your session has ended"
      size="sm"
    >
      <Text size="sm" c="dimmed" mb="md">
        Sign in to continue. What you have edited is kept on this page, and is saved then.
      </Text>
      <SignInForm email={email} onSignedIn={goOn} />
    </Modal>
  )
}
