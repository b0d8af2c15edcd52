// Fields made from a JSON Schema with the annotations of src/flow/schema.ts.
import type { SchemaNode } from '../../../../src/flow/check.ts'
import { pointer } from '../../../../src/flow/issue.ts'
import { PlainNumberField, PlainTextField, SelectField, SwitchField, TagsField } from '../../fields/choice-fields.tsx'
import { NameValueList } from '../../fields/name-value-list.tsx'
import { SecretField } from '../../fields/secret-field.tsx'
import { ConditionField, NumberField, TemplateField, ValueField } from '../../fields/template-field.tsx'

interface DescribedNode extends SchemaNode {
  description?: string
}

export function SchemaForm({ schema, path }: { schema: object; path: string }) {
  const { properties = {} } = schema as DescribedNode
  return Object.entries(properties)
    .filter(([, node]) => node['x-steps'] === undefined)
    .map(([name, node]) => <SchemaField key={name} node={node} path={pointer(path, name)} label={name} />)
}

interface SchemaFieldProps {
  node: DescribedNode
  path: string
  label: string
}

function SchemaField({ node, path, label }: SchemaFieldProps) {
  const shared = { path, label, description: node.description }
  if (node['x-secret']) return <SecretField {...shared} />
  if (node['x-lazy'] === 'condition') return <ConditionField {...shared} optional />
  if (node['x-template'] === 'tree' || node['x-lazy'] === 'tree') return <ValueField {...shared} />
  if (node['x-template'] === 'value')
    return <NumberField {...shared} description={node.description ?? describe(node.anyOf?.[0])} />
  if (node['x-template'] === 'url') return <TemplateField {...shared} mode="url" />
  if (node['x-template'] === 'text') return <TemplateField {...shared} optional />
  const choices = node.anyOf?.map((option) => option.const)
  if (choices?.every((value) => typeof value === 'string'))
    return (
      <SelectField
        {...shared}
        options={choices.map((value) => ({ value, label: value }))}
        {...(typeof node.default === 'string' ? { fallback: node.default } : {})}
      />
    )
  if (node.type === 'boolean') return <SwitchField {...shared} standard={node.default === true} />
  if (node.type === 'integer' || node.type === 'number') return <PlainNumberField {...shared} />
  if (node.type === 'array' && node.items?.properties?.['name'] && node.items.properties['value'])
    return <NameValueList path={path} noun={label} />
  if (node.type === 'array' && node.items?.type === 'string') return <TagsField {...shared} />
  if (node.type === 'string') return <PlainTextField {...shared} />
  return <ValueField {...shared} multiline />
}

const describe = (node: DescribedNode | undefined): string | undefined => node?.description
