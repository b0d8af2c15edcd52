import { TagsField } from '../../fields/choice-fields.tsx'

const COMMON = [
  'application/json',
  'application/*+json',
  'application/x-www-form-urlencoded',
  'text/*',
  'application/xml',
]

export function AcceptedTypes({ path }: { path: string }) {
  return <TagsField path={path} label="Content types" placeholder="application/json" suggestions={COMMON} />
}
