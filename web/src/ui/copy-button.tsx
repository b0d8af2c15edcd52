import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopyProps {
  /** What is copied, or a function that makes it when it is wanted. */
  value: string | (() => string)
  /** What the button is called, such as "Copy URL". */
  label: string
  /** With the label beside the icon. */
  withLabel?: boolean
  size?: 'xs' | 'sm' | 'md'
  tabIndex?: number
}

export function CopyButton({ value, label, withLabel = false, size = 'sm', tabIndex }: CopyProps) {
  const clipboard = useClipboard({ timeout: 1500 })
  const copy = () => clipboard.copy(typeof value === 'string' ? value : value())
  const icon = clipboard.copied ? <IconCheck size={15} /> : <IconCopy size={15} />
  const said = clipboard.copied ? 'Copied' : clipboard.error ? 'The browser refused to copy' : label
  if (withLabel)
    return (
      <Button variant="default" size={size} leftSection={icon} onClick={copy}>
        {said}
      </Button>
    )
  return (
    <Tooltip label={said}>
      <ActionIcon size={size} aria-label={label} onClick={copy} tabIndex={tabIndex}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
