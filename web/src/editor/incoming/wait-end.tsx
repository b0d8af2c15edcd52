// How long a wait for somebody lasts at most, and what happens then.
import { SegmentField } from '../../fields/choice-fields.tsx'
import { DurationField } from '../../fields/duration-field.tsx'

/** As in src/flow/callbacks/schema.ts, whose schemas would make the page large. */
const DEFAULT_TIMEOUT_SECONDS = 604_800

export function WaitEnd({ path }: { path: string }) {
  return (
    <>
      <DurationField path={`${path}/timeout`} label="At most" standard={DEFAULT_TIMEOUT_SECONDS} />
      <SegmentField
        path={`${path}/onTimeout`}
        label="When nobody answers in time"
        fallback="fail"
        options={[
          { value: 'fail', label: 'the step fails' },
          { value: 'continue', label: 'the run goes on' },
        ]}
      />
    </>
  )
}
