import { PlainNumberField } from '../../fields/choice-fields.tsx'
import { useField } from '../../fields/field-context.tsx'
import { FieldFrame } from '../../fields/field-frame.tsx'
import { ValueField } from '../../fields/template-field.tsx'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import classes from '../panel/panel.module.css'
import type { KindFormProps } from './kind-form-props.ts'

export function CodeForm({ place: { path } }: KindFormProps) {
  const { value, set, issues, readOnly } = useField(`${path}/code`)
  return (
    <>
      <ValueField path={`${path}/input`} label="Input" description="what the code gets as its argument" multiline />
      <FieldFrame label="Code" description="JavaScript or TypeScript; the result is what it returns" issues={issues}>
        <CodeEditor
          value={typeof value === 'string' ? value : ''}
          mode="typescript"
          label="Code"
          readOnly={readOnly}
          minHeight={180}
          maxHeight={480}
          onChange={(text) => set(text)}
        />
      </FieldFrame>
      <div className={classes.two}>
        <PlainNumberField path={`${path}/timeout`} label="Timeout" placeholder="5 s" suffix="s" />
        <PlainNumberField path={`${path}/memory`} label="Memory" placeholder="64 MB" suffix="MB" />
      </div>
    </>
  )
}
