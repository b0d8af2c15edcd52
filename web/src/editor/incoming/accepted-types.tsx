import { TagsField } from '../../fields/choice-fields.tsx'

const COMMON = [
  'application/json',
  'application/*+json',
  'application/x-www-form-urlencoded',
  'text/*',
  'application/xml',
  'text/xml',
  'application/*+xml',
]

const FILES = ['multipart/form-data', 'application/pdf', 'image/*', 'application/octet-stream']

/** `files`: whether files can come in. */
export function AcceptedTypes({ path, files = false }: { path: string; files?: boolean }) {
  return (
    <TagsField
      path={path}
      label="Content types"
      placeholder="application/json"
      suggestions={files ? [...COMMON, ...FILES] : COMMON}
    />
  )
}
