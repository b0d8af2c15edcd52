import { Skeleton, Stack } from '@mantine/core'

export function LoadingRows({ label }: { label: string }) {
  return (
    <Stack gap={9} p={24} aria-label={label} role="status">
      {Array.from({ length: 12 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={row} height={24} />
      ))}
    </Stack>
  )
}
