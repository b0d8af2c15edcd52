import { Center, Loader } from '@mantine/core'

/** While a page is fetched that takes its time. */
export function PagePending() {
  return (
    <Center h="100%" mih={240} role="status" aria-label="Loading">
      <Loader size="sm" type="dots" aria-hidden="true" />
    </Center>
  )
}
