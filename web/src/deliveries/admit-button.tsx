import { Anchor, Button } from '@mantine/core'
import { IconDoorEnter } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/api-client.ts'
import type { Delivery, Run } from '../api/api-types.ts'
import { keys } from '../api/queries.ts'
import { ConfirmPopover } from '../ui/confirm-popover.tsx'
import own from './delivery-panel.module.css'

/** Lets in a rejected delivery whose body is kept. */
export function AdmitButton({ delivery }: { delivery: Delivery }) {
  const client = useQueryClient()
  const admit = useMutation({
    mutationFn: () => api.post<Run>(`/flows/${delivery.flowId}/deliveries/${delivery.id}/admit`, {}),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.deliveries }),
  })
  if (admit.isSuccess)
    return (
      <p className={own.done} role="status">
        Admitted.{' '}
        <Anchor component={Link} size="sm" to={`/runs/${admit.data.id}`}>
          Open its run
        </Anchor>
      </p>
    )
  return (
    <div className={own.actions}>
      <ConfirmPopover
        title="Admit this delivery?"
        confirm="Admit"
        danger={false}
        position="bottom-start"
        onConfirm={() => admit.mutateAsync()}
        target={(open) => (
          <Button size="xs" leftSection={<IconDoorEnter size={14} />} onClick={open}>
            Admit
          </Button>
        )}
      >
        It starts a run although its sender was refused. All checks but authentication, time stamps and the rate are
        made again. The run and the audit log name you.
      </ConfirmPopover>
    </div>
  )
}
