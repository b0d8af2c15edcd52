import type { StepPlace } from '../../flow-model/flow-tree.ts'

/** What every kind's form is given. */
export interface KindFormProps {
  place: StepPlace
}
