import Type from 'typebox'
import { defineStep, reply } from '../engine/step-kind.ts'
import { json, NameValueList, templated } from '../flow/schema.ts'

export const respond = defineStep({
  kind: 'respond',
  label: 'Respond',
  answersCaller: true,
  settings: Type.Object(
    {
      status: Type.Optional(templated(Type.Integer({ minimum: 200, maximum: 599, default: 200 }))),
      headers: Type.Optional(NameValueList),
      body: Type.Optional(json('Any JSON value; text under a non-JSON Content-Type is sent as it is.')),
    },
    { additionalProperties: false },
  ),
  run: ({ settings: { status, headers, body } }) => reply({ status: status ?? 200, headers: headers ?? [], body }),
})
